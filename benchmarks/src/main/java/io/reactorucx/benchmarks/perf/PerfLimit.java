package io.reactorucx.benchmarks.perf;

/** Refuses options that are out of range or cannot be combined; the message is one line. */
final class PerfLimit extends RuntimeException {

    private static final long serialVersionUID = 1;

    PerfLimit(String message) {
        super(message);
    }
}
