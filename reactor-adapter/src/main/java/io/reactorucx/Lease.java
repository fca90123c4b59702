package io.reactorucx;

import io.reactorucx.core.UcpMemory;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/** A leased block and how many buffers share it, the first one and its slices: it goes back with the last of them. Any thread. */
final class Lease {

    private static final AtomicIntegerFieldUpdater<Lease> SHARERS = AtomicIntegerFieldUpdater.newUpdater(Lease.class, "sharers");

    private final UcxBufferPool pool;
    private final UcxBufferPool.Block block;
    private volatile int sharers = 1;

    Lease(UcxBufferPool pool, UcxBufferPool.Block block) {
        this.pool = pool;
        this.block = block;
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
            pool.release(block);
        }
    }
}
