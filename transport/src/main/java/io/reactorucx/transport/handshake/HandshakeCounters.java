package io.reactorucx.transport.handshake;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts the handshakes of all servers of one {@code UcxResources}.
 *
 * <p>Thread: any.
 */
public final class HandshakeCounters {

    private final AtomicInteger pending = new AtomicInteger();
    private final AtomicLong failed = new AtomicLong();

    public void started() {
        pending.incrementAndGet();
    }

    public void ended(boolean connected) {
        pending.decrementAndGet();
        if (!connected) {
            failed.incrementAndGet();
        }
    }

    public int pending() {
        return pending.get();
    }

    public long failed() {
        return failed.get();
    }
}
