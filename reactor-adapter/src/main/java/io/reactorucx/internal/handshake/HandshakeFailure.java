package io.reactorucx.internal.handshake;

import io.reactorucx.core.UcxException;
import io.reactorucx.security.Authenticator;
import org.jspecify.annotations.Nullable;

/**
 * Why a handshake came to nothing.
 *
 * @param reason the kind, for counting
 * @param rejection in words, for this side
 * @param cause what an {@link Authenticator} threw, if it did
 */
public record HandshakeFailure(Kind reason, Rejection rejection, @Nullable Throwable cause) {

    /** What an unauthenticated peer hears, whatever the reason was. */
    static final String NOT_AUTHENTICATED = "authentication failed";

    /** Few, since they are values of a tag. */
    public enum Kind {
        /** The versions of the protocol differ. */
        VERSION,
        /** Something else differs that has to be the same. */
        MISMATCH,
        /** One side did not prove who it is. */
        AUTHENTICATION,
        /** The peer does not keep to the protocol. */
        PROTOCOL,
        /** All is well, but this side takes no more peers now. */
        ADMISSION,
        /** The peer took too long. */
        TIMEOUT,
        /** The peer refused this side. */
        PEER
    }

    public String detail() {
        return rejection.reason();
    }

    public UcxException toException(String peer) {
        return rejection.toException(peer, cause);
    }
}
