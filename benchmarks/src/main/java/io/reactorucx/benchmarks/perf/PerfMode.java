package io.reactorucx.benchmarks.perf;

import java.util.Locale;

/** What is looked for. */
enum PerfMode {
    /** How long one operation takes, one after the other or at a fixed rate. */
    LATENCY(1),
    /** How many bytes go through, with many operations under way. */
    BANDWIDTH(32),
    /** How many operations go through, with many under way. */
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
