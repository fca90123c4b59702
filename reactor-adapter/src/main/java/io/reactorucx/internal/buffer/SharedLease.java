package io.reactorucx.internal.buffer;

import io.reactorucx.buffer.UcxBufferPool;
import io.reactorucx.core.UcpMemory;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * A leased block and how many buffers share it, the first one and its slices: it goes back with the last of them. Any
 * thread.
 */
public final class SharedLease {

    private static final AtomicIntegerFieldUpdater<SharedLease> SHARERS =
            AtomicIntegerFieldUpdater.newUpdater(SharedLease.class, "sharers");

    private final UcxBufferPool pool;
    private final BufferSlab.Block block;
    private final @Nullable LeakTracker watched;
    private final @Nullable LeakTrace history;
    private volatile int sharers = 1;

    public SharedLease(UcxBufferPool pool, BufferSlab.Block block, @Nullable LeakTracker watched) {
        this.pool = pool;
        this.block = block;
        this.watched = watched;
        this.history = watched == null ? null : watched.history();
    }

    public BufferSlab.Block block() {
        return block;
    }

    /** How its loss would be noticed, if it would. */
    public @Nullable LeakTracker watched() {
        return watched;
    }

    public UcpMemory registration() {
        return block.slab().registration();
    }

    /** One more buffer; answers whether the block was still leased. */
    public boolean share() {
        return SHARERS.getAndUpdate(this, count -> count <= 0 ? count : count + 1) > 0;
    }

    /** One of the buffers has ended. */
    public void giveBack() {
        if (SHARERS.decrementAndGet(this) == 0) {
            pool.release(this);
        }
    }

    /** Remembers the place of this call, where such are remembered. */
    public void note(String what, @Nullable Object hint) {
        if (history != null) {
            history.add(what, hint);
        }
    }
}
