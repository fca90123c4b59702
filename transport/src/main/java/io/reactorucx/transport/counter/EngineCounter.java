package io.reactorucx.transport.counter;

import java.util.concurrent.atomic.AtomicLong;

/** Writes to counters of which one thread writes. Thread: that one. */
public final class EngineCounter {

    private EngineCounter() {
    }

    /** Adds to a counter without a fence: readers may miss the latest changes. */
    public static void add(AtomicLong counter, long more) {
        counter.setOpaque(counter.getPlain() + more);
    }
}
