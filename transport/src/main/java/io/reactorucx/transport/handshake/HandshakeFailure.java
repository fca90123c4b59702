package io.reactorucx.transport.handshake;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.security.Authenticator;
import org.jspecify.annotations.Nullable;

/**
 * Why a handshake has failed.
 *
 * @param reason the kind, for counters
 * @param rejection the status and the explanation for this side
 * @param cause the exception of an {@link Authenticator}, if it threw
 */
public record HandshakeFailure(Kind reason, Rejection rejection, @Nullable Throwable cause) {

    /** The only explanation that a peer gets before it is authenticated. */
    static final String NOT_AUTHENTICATED = "authentication failed";

    /** The rejection when too many steps of authenticators wait; a later attempt may succeed. */
    static final Rejection BUSY = new Rejection(UcxStatus.BUSY, "too many peers are being authenticated");

    /** The kinds of failure. They are values of a meter's tag, so there are few. */
    public enum Kind {
        /** The sides have different versions of the protocol. */
        VERSION,
        /** Error mode or byte order differ, or the sides have no transport in common. */
        MISMATCH,
        /** One side is not authenticated. */
        AUTHENTICATION,
        /** The peer has violated the protocol. */
        PROTOCOL,
        /** The server admits no more clients now, or this side authenticates no more peers now. */
        ADMISSION,
        /** The handshake timed out. */
        TIMEOUT,
        /** The peer has rejected this side. */
        PEER
    }

    public String detail() {
        return rejection.reason();
    }

    public UcxException toException(String peer) {
        return rejection.toException(peer, cause);
    }
}
