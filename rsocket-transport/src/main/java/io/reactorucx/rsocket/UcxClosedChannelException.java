package io.reactorucx.rsocket;

import java.io.Serial;
import java.nio.channels.ClosedChannelException;

/**
 * The connection under an RSocket has ended, and no side has closed it: the peer was lost, a frame could not be sent,
 * or too many waited. The message says which, and the cause is the error below, if there is one.
 */
public final class UcxClosedChannelException extends ClosedChannelException {

    @Serial
    private static final long serialVersionUID = 1L;

    private final String message;
    private final String reason;

    UcxClosedChannelException(String peer, String reason) {
        this.reason = reason;
        this.message = "[" + peer + "] the RSocket connection has ended: " + reason;
    }

    UcxClosedChannelException(String peer, Throwable cause) {
        this(peer, String.valueOf(cause.getMessage()));
        initCause(cause);
    }

    /** Returns the reason without the name of the peer, which may know itself by another one. */
    String reason() {
        return reason;
    }

    @Override
    public String getMessage() {
        return message;
    }
}
