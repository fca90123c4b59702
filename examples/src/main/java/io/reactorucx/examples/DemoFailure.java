package io.reactorucx.examples;

/** The demo found something wrong; the message is for people. */
final class DemoFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    DemoFailure(String message) {
        super(message);
    }
}
