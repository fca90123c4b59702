package io.reactorucx.transport.ring;

import io.reactorucx.transport.counter.EngineCounter;
import java.util.concurrent.atomic.AtomicLong;

/** Counters of the rings of one engine. Thread: the engine's adds, any reads. */
public final class RingCounters {

    private final AtomicLong rings = new AtomicLong();
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong received = new AtomicLong();
    private final AtomicLong waits = new AtomicLong();
    private final AtomicLong wakeUps = new AtomicLong();
    private final AtomicLong declined = new AtomicLong();

    void open(int count) {
        rings.setOpaque(count);
    }

    void countSent() {
        EngineCounter.add(sent, 1);
    }

    void countReceived(int count) {
        EngineCounter.add(received, count);
    }

    void countWait() {
        EngineCounter.add(waits, 1);
    }

    void countWakeUp() {
        EngineCounter.add(wakeUps, 1);
    }

    void countDeclined() {
        EngineCounter.add(declined, 1);
    }

    /** Returns the pairs of rings that are open. */
    public long rings() {
        return rings.getOpaque();
    }

    /** Returns the messages that were written into rings. */
    public long sent() {
        return sent.getOpaque();
    }

    /** Returns the messages that were read from rings. */
    public long received() {
        return received.getOpaque();
    }

    /** Returns the messages that had to wait: for room in a ring, or for the peer to map it. */
    public long waits() {
        return waits.getOpaque();
    }

    /** Returns how often a peer that slept was woken up. */
    public long wakeUps() {
        return wakeUps.getOpaque();
    }

    /** Returns the connections with peers of this host that go on without rings. */
    public long declined() {
        return declined.getOpaque();
    }
}
