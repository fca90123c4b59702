package io.reactorucx.message;

import java.util.Objects;

/** A request failed: the peer responded with an error, or not in time. */
public final class UcxRequestException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** The largest {@link #code()}. */
    public static final int MAX_CODE = 1 << 30;

    private final Reason reason;
    private final int code;

    /** Why a request failed. The order of the constants is part of the protocol. */
    public enum Reason {
        /** The peer has no responder, has reached its limit of requests at once, or is a server that stops. */
        REFUSED,
        /** The peer's responder failed; {@link #code()} and message are the responder's if it has failed with this. */
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
        this(Objects.requireNonNull(reason, "reason"), 0, message);
    }

    /**
     * Creates the error with which a responder fails a request for a reason of the application's own.
     *
     * @param code 1 to {@link #MAX_CODE}, for the requester
     * @param message text for the requester
     */
    public UcxRequestException(int code, String message) {
        this(Reason.APPLICATION, checked(code), message);
    }

    private UcxRequestException(Reason reason, int code, String message) {
        super(message);
        this.reason = reason;
        this.code = code;
    }

    private static int checked(int code) {
        if (code < 1 || code > MAX_CODE) {
            throw new IllegalArgumentException("code " + code + ": must be in 1.." + MAX_CODE);
        }
        return code;
    }

    /** {@return the responder's own code, 0 for none} */
    public int code() {
        return code;
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
