package io.reactorucx.internal.buffer;

import org.jspecify.annotations.Nullable;

/**
 * Detects the leak of a lease by a companion object of its memory. The lease, its slices, and segments and buffers of
 * its memory refer to the companion, and so does an operation of UCX. So memory that is still in use is never
 * reclaimed.
 */
final class LeakTracker extends LeakReaper.Watched<Object> {

    private final BufferPool pool;
    private final BufferSlab.Block block;
    private final long bytes;
    private final @Nullable LeakRecord allocated;
    private final @Nullable LeakTrace trace;

    LeakTracker(Object companion, BufferPool pool, BufferSlab.Block block, long bytes, @Nullable LeakRecord allocated,
            @Nullable LeakTrace trace) {
        super(companion);
        this.pool = pool;
        this.block = block;
        this.bytes = bytes;
        this.allocated = allocated;
        this.trace = trace;
    }

    BufferSlab.Block block() {
        return block;
    }

    @Nullable LeakTrace trace() {
        return trace;
    }

    @Override
    public void unreachable() {
        pool.unreachable(this);
    }

    void report(LeakReporter leaks) {
        leaks.leaseLeaked(bytes, allocated, trace);
    }
}
