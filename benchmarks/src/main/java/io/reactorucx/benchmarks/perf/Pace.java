package io.reactorucx.benchmarks.perf;

/** Lets a {@link FixedRate} look at the clock, on its engine's thread. */
interface Pace {

    /**
     * Begins to; on the engine's thread.
     *
     * @param tick is called at least when an operation is due
     * @param perSecond how many are
     */
    void start(Runnable tick, double perSecond);

    void stop();
}
