package io.reactorucx;

import java.util.concurrent.atomic.AtomicInteger;

/** How many endpoints of these resources wait for their next connection, and may. Any thread. */
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

    /** Whether one more may be kept; engines that ask at the same time may go beyond by one each. */
    boolean hasRoom() {
        return count.get() < limit;
    }

    void added() {
        count.incrementAndGet();
    }

    void removed() {
        count.decrementAndGet();
    }
}
