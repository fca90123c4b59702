package io.reactorucx.benchmarks;

/**
 * What every program here does before it measures. Until something ends for the first time, HotSpot leaves what comes
 * then out of the code that it compiles; at the end it throws that code away, interprets, and compiles again. So the
 * warm-up has several ends, each with a beginning after it, and what is measured after the last one stays compiled.
 */
public final class WarmUp {

    /** Each is run as what is measured is, and forgotten. */
    public static final int PARTS = 4;

    private WarmUp() {
    }
}
