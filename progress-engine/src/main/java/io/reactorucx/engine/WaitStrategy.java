package io.reactorucx.engine;

/** The way an engine waits while there is nothing to do. */
public enum WaitStrategy {
    /** Never sleeps: the lowest latency, for a core of its own. */
    BUSY_SPIN,
    /** Spins, then yields if it is configured to, then sleeps on the worker's event descriptor. */
    ADAPTIVE,
    /** Sleeps at once. */
    EVENT
}
