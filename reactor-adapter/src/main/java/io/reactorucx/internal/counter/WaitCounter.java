package io.reactorucx.internal.counter;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts waits and their time. Thread: engine, or whatever holds the lock under which both ends of a wait are counted;
 * reads any.
 */
public final class WaitCounter {

    private final AtomicLong waiting = new AtomicLong();
    private final AtomicLong waits = new AtomicLong();
    private final AtomicLong nanos = new AtomicLong();

    /** A wait begins. Returns its time, which is never 0, for {@link #ended}. */
    public long begun() {
        TrafficCounter.add(waiting, 1);
        long now = System.nanoTime();
        return now == 0 ? 1 : now;
    }

    /** The wait that began at that time has ended. */
    public void ended(long sinceNanos) {
        TrafficCounter.add(waiting, -1);
        waited(System.nanoTime() - sinceNanos);
    }

    /** A wait of that time has ended, whose begin was not counted. */
    public void waited(long time) {
        TrafficCounter.add(waits, 1);
        TrafficCounter.add(nanos, time);
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
