package io.reactorucx.benchmarks.process;

/** The reason in one line why there are no figures. */
public final class MeasurementFailure extends RuntimeException {

    private static final long serialVersionUID = 1;

    /**
     * Creates the failure.
     *
     * @param message the reason
     */
    public MeasurementFailure(String message) {
        super(message);
    }
}
