package io.reactorucx.transport.ring;

import io.reactorucx.transport.RingStatistics;
import io.reactorucx.transport.counter.EngineCounter;
import java.util.concurrent.atomic.AtomicLong;

/** Counters of the rings of one engine. Thread: the engine's adds, any reads. */
final class RingCounters {

    private final AtomicLong pairs = new AtomicLong();
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong received = new AtomicLong();
    private final AtomicLong waits = new AtomicLong();
    private final AtomicLong wakeUps = new AtomicLong();
    private final AtomicLong declined = new AtomicLong();

    void open(int count) {
        pairs.setOpaque(count);
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

    RingStatistics snapshot() {
        return new RingStatistics(pairs.getOpaque(), sent.getOpaque(), received.getOpaque(), waits.getOpaque(),
                wakeUps.getOpaque(), declined.getOpaque());
    }
}
