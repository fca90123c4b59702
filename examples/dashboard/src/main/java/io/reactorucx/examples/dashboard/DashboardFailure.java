package io.reactorucx.examples.dashboard;

/** A failure that its message explains. */
final class DashboardFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    DashboardFailure(String message) {
        super(message);
    }
}
