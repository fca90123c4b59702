package io.reactorucx.transport.counter;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts waits and their time. Thread: engine, or whatever holds the lock under which both ends of a wait are counted;
 * reads any.
 */
public final class WaitCounter {

    private final AtomicLong waiting = new AtomicLong();
    private final AtomicLong waits = new AtomicLong();
    private final AtomicLong nanos = new AtomicLong();

    /**
     * A wait begins unless it has begun before.
     *
     * @param since what the last call for this wait has returned, 0 before the first
     * @return when it began, never 0
     */
    public long begin(long since) {
        if (since != 0) {
            return since;
        }
        EngineCounter.add(waiting, 1);
        long now = System.nanoTime();
        return now == 0 ? 1 : now;
    }

    /** A wait ends if it has begun: as {@link #begin}, and returns 0. */
    public long end(long since) {
        if (since != 0) {
            EngineCounter.add(waiting, -1);
            waited(System.nanoTime() - since);
        }
        return 0;
    }

    /** A wait of that time has ended, whose begin was not counted. */
    public void waited(long time) {
        EngineCounter.add(waits, 1);
        EngineCounter.add(nanos, time);
    }

    /** Returns the waits that have begun and not ended. */
    public long waiting() {
        return waiting.getOpaque();
    }

    /** Returns the waits that have ended. */
    public long waits() {
        return waits.getOpaque();
    }

    /** Returns the time of those together. */
    public long nanos() {
        return nanos.getOpaque();
    }
}
