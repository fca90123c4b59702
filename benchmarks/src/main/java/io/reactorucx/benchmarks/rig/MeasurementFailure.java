package io.reactorucx.benchmarks.rig;

/** Why there is no figure, in one line. */
final class MeasurementFailure extends RuntimeException {

    private static final long serialVersionUID = 1;

    MeasurementFailure(String message) {
        super(message);
    }
}
