package io.reactorucx.benchmarks.turns;

/**
 * The time in which the processes of a program ran, by {@link System#nanoTime()}, which all processes of a host share.
 *
 * @param begin when they were continued
 * @param end when they were stopped
 */
public record Turn(long begin, long end) {

    /**
     * Whether a moment is within this turn.
     *
     * @param nanos the moment
     * @return true for a moment from begin to end
     */
    public boolean contains(long nanos) {
        return nanos - begin >= 0 && nanos - end <= 0;
    }

    /**
     * The length of this turn.
     *
     * @return nanoseconds
     */
    public long nanos() {
        return end - begin;
    }
}
