package io.reactorucx.transport.buffer;

import io.reactorucx.core.UcpMemory;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/** A leased block, shared by the first lease on it and by its slices. It is released with the last. Any thread. */
public final class SharedLease {

    private static final AtomicIntegerFieldUpdater<SharedLease> SHARERS =
            AtomicIntegerFieldUpdater.newUpdater(SharedLease.class, "sharers");

    private final BufferPool pool;
    private final BufferSlab.Block block;
    private final @Nullable LeakTracker tracker;
    private final @Nullable LeakTrace trace;
    private volatile int sharers = 1;

    SharedLease(BufferPool pool, BufferSlab.Block block, @Nullable LeakTracker tracker) {
        this.pool = pool;
        this.block = block;
        this.tracker = tracker;
        this.trace = tracker == null ? null : tracker.trace();
    }

    /** Returns a lease on a part of the block, with one reference. */
    Lease lease(MemorySegment part) {
        return pool.leaseOf(this, part);
    }

    BufferSlab.Block block() {
        return block;
    }

    /** Detects a leak of this lease; null when it is not watched. */
    @Nullable LeakTracker tracker() {
        return tracker;
    }

    UcpMemory registration() {
        return block.slab().registration();
    }

    /** Adds a sharer. Returns whether the block was still leased. */
    boolean share() {
        return SHARERS.getAndUpdate(this, count -> count <= 0 ? count : count + 1) > 0;
    }

    /** Removes a sharer. */
    void release() {
        if (SHARERS.decrementAndGet(this) == 0) {
            pool.release(this);
        }
    }

    /** Records the place of this call, where a trace is kept. */
    void record(String what, @Nullable Object hint) {
        if (trace != null) {
            trace.add(what, hint);
        }
    }
}
