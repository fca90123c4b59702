package io.reactorucx.internal.frame;

/**
 * The peer has violated the protocol; the message says how. Ends the connection to that peer, and is never seen by the
 * application.
 */
public final class ProtocolViolationException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public ProtocolViolationException(String message) {
        super(message, null, false, false);
    }
}
