package io.reactorucx.internal.endpoint;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Limits the endpoints of all engines that are idle between two connections, or are about to be.
 *
 * <p>Thread: any.
 */
public final class IdleEndpointLimit {

    private final int limit;
    private final AtomicInteger count = new AtomicInteger();

    public IdleEndpointLimit(int limit) {
        this.limit = limit;
    }

    public int limit() {
        return limit;
    }

    public int count() {
        return count.get();
    }

    /** Reserves room for one more idle endpoint, and returns whether there was room. */
    boolean tryReserve() {
        return count.getAndUpdate(now -> Math.min(limit, now + 1)) < limit;
    }

    /** Gives the room of one idle endpoint back. */
    void release() {
        count.decrementAndGet();
    }
}
