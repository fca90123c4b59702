package io.reactorucx.message;

import java.util.Objects;

/** A request failed: the peer responded with an error, or not in time. */
public final class UcxRequestException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final Reason reason;

    /** Why a request failed. The order of the constants is part of the protocol. */
    public enum Reason {
        /** The peer has no responder, has reached its limit of requests at once, or is a server that stops. */
        REFUSED,
        /** The peer's responder failed; the message is that of its error. */
        APPLICATION,
        /** The deadline passed before the response ended. */
        DEADLINE,
        /** The peer has no memory for the request. */
        OVERLOADED,
        /** The peer's responder does not serve this kind of request. */
        UNSUPPORTED
    }

    /**
     * Creates the error with which a responder, or this library, fails a request.
     *
     * @param reason why
     * @param message text for the requester
     */
    public UcxRequestException(Reason reason, String message) {
        super(message);
        this.reason = Objects.requireNonNull(reason, "reason");
    }

    /** {@return why} */
    public Reason reason() {
        return reason;
    }

    /** {@return whether the same request may succeed later: the peer has not begun to process it} */
    public boolean isRetryable() {
        return reason == Reason.REFUSED || reason == Reason.OVERLOADED;
    }
}
