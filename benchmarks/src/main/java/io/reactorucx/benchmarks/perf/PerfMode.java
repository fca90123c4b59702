package io.reactorucx.benchmarks.perf;

import java.util.Locale;

/** The quantity that a measurement looks for. */
enum PerfMode {
    /** The time of an operation, one after the other or at a fixed rate. */
    LATENCY(1),
    /** Bytes per second with many operations in flight. */
    BANDWIDTH(32),
    /** Operations per second with many in flight. */
    RATE(256);

    private final int defaultWindow;

    PerfMode(int defaultWindow) {
        this.defaultWindow = defaultWindow;
    }

    int defaultWindow() {
        return defaultWindow;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
