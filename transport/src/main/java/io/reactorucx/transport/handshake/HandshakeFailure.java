package io.reactorucx.transport.handshake;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.security.Authenticator;
import java.io.IOException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Why a handshake has failed.
 *
 * @param reason the kind, for counters
 * @param rejection the status and the explanation for this side
 * @param cause the exception of an {@link Authenticator} or of TLS, if it threw
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

    /**
     * Returns that TLS has failed, or that one side speaks it and the other does not. The former may go by, since
     * certificates are renewed; the latter is a matter of settings.
     */
    public static HandshakeFailure ofTls(IOException cause) {
        return cause instanceof SSLException
                ? new HandshakeFailure(Kind.AUTHENTICATION,
                        new Rejection(UcxStatus.NOT_CONNECTED, "TLS: " + withRoot(cause)), cause)
                : new HandshakeFailure(Kind.MISMATCH, new Rejection(String.valueOf(cause.getMessage())), null);
    }

    /** TLS says that a check has failed, and its innermost cause why. */
    private static String withRoot(Throwable error) {
        Throwable root = error;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        String message = String.valueOf(error.getMessage());
        return root == error || message.contains(String.valueOf(root.getMessage())) ? message
                : message + ": " + root.getClass().getSimpleName() + ": " + root.getMessage();
    }

    public String detail() {
        return rejection.reason();
    }

    public UcxException toException(String peer) {
        return rejection.toException(peer, cause);
    }
}
