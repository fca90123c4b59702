package io.reactorucx;

import io.reactorucx.core.UcpMemory;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/** A leased block and how many buffers share it, the first one and its slices: it goes back with the last of them. Any thread. */
final class Lease {

    private static final AtomicIntegerFieldUpdater<Lease> SHARERS = AtomicIntegerFieldUpdater.newUpdater(Lease.class, "sharers");

    private final UcxBufferPool pool;
    private final BufferSlab.Block block;
    private final @Nullable WatchedLease watched;
    private final @Nullable LeakHistory history;
    private volatile int sharers = 1;

    Lease(UcxBufferPool pool, BufferSlab.Block block, @Nullable WatchedLease watched) {
        this.pool = pool;
        this.block = block;
        this.watched = watched;
        this.history = watched == null ? null : watched.history();
    }

    BufferSlab.Block block() {
        return block;
    }

    /** How its loss would be noticed, if it would. */
    @Nullable WatchedLease watched() {
        return watched;
    }

    UcpMemory registration() {
        return block.slab().registration();
    }

    /** One more buffer; answers whether the block was still leased. */
    boolean share() {
        return SHARERS.getAndUpdate(this, count -> count <= 0 ? count : count + 1) > 0;
    }

    /** One of the buffers has ended. */
    void giveBack() {
        if (SHARERS.decrementAndGet(this) == 0) {
            pool.release(this);
        }
    }

    /** Remembers the place of this call, where such are remembered. */
    void note(String what, @Nullable Object hint) {
        if (history != null) {
            history.add(what, hint);
        }
    }
}
