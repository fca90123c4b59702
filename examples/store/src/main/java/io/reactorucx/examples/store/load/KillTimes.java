package io.reactorucx.examples.store.load;

/**
 * When nodes are killed during the load. A kill that comes late does not put off those after it.
 *
 * <p>Threading: one thread.
 */
final class KillTimes {

    private static final int FIRST_OF_DURATION = 3;
    private static final int FIRST_OF_INTERVAL = 2;

    private final long intervalNanos;
    private final long endNanos;
    private long nextNanos;

    /** The first is due after a third of the duration, or after half of the interval if that is shorter. */
    KillTimes(long startNanos, long durationNanos, long intervalNanos) {
        this.intervalNanos = intervalNanos;
        this.endNanos = startNanos + durationNanos;
        this.nextNanos = startNanos + Math.min(durationNanos / FIRST_OF_DURATION, intervalNanos / FIRST_OF_INTERVAL);
    }

    /** Returns whether a kill is due, and takes it for done if so. */
    boolean isDue(long nanoTime) {
        if (nanoTime - nextNanos < 0 || nanoTime - endNanos >= 0) {
            return false;
        }
        nextNanos += intervalNanos;
        return true;
    }
}
