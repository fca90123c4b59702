package io.reactorucx.internal.endpoint;

import java.util.concurrent.atomic.AtomicInteger;

/** How many endpoints of these resources wait for their next connection, or are about to, and may. Any thread. */
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

    /** Takes the place of one more; answers whether there was one. */
    boolean reserve() {
        return count.getAndUpdate(now -> Math.min(limit, now + 1)) < limit;
    }

    void removed() {
        count.decrementAndGet();
    }
}
