package io.reactorucx;

/** The peer does not keep to the protocol of messages; says how. Costs that peer its connection, and never leaves this package. */
final class BadFrameException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    BadFrameException(String message) {
        super(message, null, false, false);
    }
}
