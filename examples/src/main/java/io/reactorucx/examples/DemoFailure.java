package io.reactorucx.examples;

/** A failure that the demo explains in its message. */
final class DemoFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    DemoFailure(String message) {
        super(message);
    }
}
