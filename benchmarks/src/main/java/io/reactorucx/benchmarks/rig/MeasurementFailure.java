package io.reactorucx.benchmarks.rig;

/** The reason in one line why there are no figures. */
final class MeasurementFailure extends RuntimeException {

    private static final long serialVersionUID = 1;

    MeasurementFailure(String message) {
        super(message);
    }
}
