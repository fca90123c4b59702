package io.reactorucx.benchmarks.turns;

/** A program that runs in its turns alone. */
public interface Contestant {

    /**
     * Continues its processes.
     *
     * @param cycle the number of the turn, from 0
     */
    void resume(int cycle);

    /**
     * Stops its processes.
     *
     * @param cycle the number of the turn
     */
    void stop(int cycle);

    /**
     * The length of a turn.
     *
     * @return nanoseconds
     */
    long turnNanos();
}
