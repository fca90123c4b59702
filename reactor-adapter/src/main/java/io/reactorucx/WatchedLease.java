package io.reactorucx;

import org.jspecify.annotations.Nullable;

/**
 * A lease whose loss is noticed, by a companion of its memory: whoever holds the lease, a slice, a segment or a buffer of its memory holds
 * the companion, and so does an operation of UCX. So nobody loses memory that is still in use.
 */
final class WatchedLease extends LeakReaper.Watched<Object> {

    private final UcxBufferPool pool;
    private final BufferSlab.Block block;
    private final long bytes;
    private final @Nullable LeakPlace allocated;
    private final @Nullable LeakHistory history;

    WatchedLease(Object companion, UcxBufferPool pool, BufferSlab.Block block, long bytes, @Nullable LeakPlace allocated,
            @Nullable LeakHistory history) {
        super(companion);
        this.pool = pool;
        this.block = block;
        this.bytes = bytes;
        this.allocated = allocated;
        this.history = history;
    }

    BufferSlab.Block block() {
        return block;
    }

    @Nullable LeakHistory history() {
        return history;
    }

    @Override
    void unreachable() {
        pool.unreachable(this);
    }

    void report(Leaks leaks) {
        leaks.ofLease(bytes, allocated, history);
    }
}
