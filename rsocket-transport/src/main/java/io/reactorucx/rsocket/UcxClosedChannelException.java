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

    private final String reason;

    UcxClosedChannelException(String peer, String reason) {
        this.reason = "[" + peer + "] the RSocket connection has ended: " + reason;
    }

    UcxClosedChannelException(String peer, Throwable cause) {
        this(peer, String.valueOf(cause.getMessage()));
        initCause(cause);
    }

    @Override
    public String getMessage() {
        return reason;
    }
}
