package io.reactorucx;

import java.util.concurrent.atomic.AtomicInteger;

/** How many endpoints of these resources wait for their next connection, or are about to, and may. Any thread. */
final class IdleEndpoints {

    private final int limit;
    private final AtomicInteger count = new AtomicInteger();

    IdleEndpoints(int limit) {
        this.limit = limit;
    }

    int limit() {
        return limit;
    }

    int count() {
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
