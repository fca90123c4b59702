package io.reactorucx.internal.buffer;

import io.reactorucx.buffer.UcxBufferPool;
import org.jspecify.annotations.Nullable;

/**
 * A lease whose loss is noticed, by a companion of its memory: whoever holds the lease, a slice, a segment or a buffer
 * of its memory holds the companion, and so does an operation of UCX. So nobody loses memory that is still in use.
 */
public final class LeakTracker extends LeakReaper.Watched<Object> {

    private final UcxBufferPool pool;
    private final BufferSlab.Block block;
    private final long bytes;
    private final @Nullable LeakRecord allocated;
    private final @Nullable LeakTrace history;

    public LeakTracker(Object companion, UcxBufferPool pool, BufferSlab.Block block, long bytes,
            @Nullable LeakRecord allocated,
            @Nullable LeakTrace history) {
        super(companion);
        this.pool = pool;
        this.block = block;
        this.bytes = bytes;
        this.allocated = allocated;
        this.history = history;
    }

    public BufferSlab.Block block() {
        return block;
    }

    @Nullable LeakTrace history() {
        return history;
    }

    @Override
    public void unreachable() {
        pool.unreachable(this);
    }

    public void report(LeakReporter leaks) {
        leaks.ofLease(bytes, allocated, history);
    }
}
