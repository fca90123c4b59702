package io.reactorucx.transport.frame;

/**
 * Thrown when a frame of the peer violates a protocol. The connection to that peer is closed; subscribers do not get
 * this exception.
 */
public final class ProtocolViolationException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public ProtocolViolationException(String message) {
        super(message, null, false, false);
    }
}
