package io.reactorucx.benchmarks.perf.load;

/** Runs the ticks of a {@link FixedRate}. Thread: engine. */
public interface Pace {

    /**
     * Starts the ticks. Thread: engine.
     *
     * @param tick runs at least when an operation is due
     * @param startNanos when the first operation is due
     * @param perSecond operations that are due per second
     */
    void start(Runnable tick, long startNanos, double perSecond);

    void stop();
}
