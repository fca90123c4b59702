package io.reactorucx;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** What the servers of some resources count of handshakes. Any thread. */
final class HandshakeCounters {

    private final AtomicInteger pending = new AtomicInteger();
    private final AtomicLong failed = new AtomicLong();

    void began() {
        pending.incrementAndGet();
    }

    void ended(boolean connected) {
        pending.decrementAndGet();
        if (!connected) {
            failed.incrementAndGet();
        }
    }

    int pending() {
        return pending.get();
    }

    long failed() {
        return failed.get();
    }
}
