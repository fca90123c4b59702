package io.reactorucx.benchmarks.perf;

/** Something that cannot be measured so; the message says why in one line. */
final class PerfLimit extends RuntimeException {

    private static final long serialVersionUID = 1;

    PerfLimit(String message) {
        super(message);
    }
}
