package io.reactorucx.benchmarks;

/**
 * The warm-up of every program here has several parts. HotSpot omits code that has never run, such as the end of a
 * measurement, from what it compiles; when that code runs, HotSpot discards the compiled code, interprets and compiles
 * again. After several ends and starts the measured code stays compiled.
 */
public final class WarmUp {

    /** Number of parts. Each runs like the measurement, and its figures are discarded. */
    public static final int PARTS = 4;

    private WarmUp() {
    }
}
