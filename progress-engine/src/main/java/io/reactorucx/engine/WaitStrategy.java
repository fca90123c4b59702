package io.reactorucx.engine;

/** What an engine does while there is nothing to do. */
public enum WaitStrategy {
    /** Never sleeps: the lowest latency, for a core of its own. */
    BUSY_SPIN,
    /** Spins, then yields if it is configured to, then sleeps on the worker's event descriptor. */
    ADAPTIVE,
    /** Sleeps at once. */
    EVENT
}
