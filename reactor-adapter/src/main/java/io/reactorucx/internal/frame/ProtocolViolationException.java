package io.reactorucx.internal.frame;

/**
 * The peer does not keep to the protocol of messages; says how. Costs that peer its connection, and never leaves this
 * package.
 */
public final class ProtocolViolationException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public ProtocolViolationException(String message) {
        super(message, null, false, false);
    }
}
