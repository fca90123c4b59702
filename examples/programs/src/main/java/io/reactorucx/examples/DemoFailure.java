package io.reactorucx.examples;

/** A failure that the demo explains in its message. */
public final class DemoFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates a failure.
     *
     * @param message explains it
     */
    public DemoFailure(String message) {
        super(message);
    }
}
