package io.reactorucx.message;

import io.reactorucx.internal.message.InboundFrames;
import java.util.Objects;

/** A request was answered with an error, or not in time. */
public final class UcxRequestException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final Reason reason;

    /** Why there is no answer, or no more of it. The order is the protocol's. */
    public enum Reason {
        /** The peer answers no requests, or as many as it may at once. */
        REFUSED,
        /** Whoever answers there failed; the message is theirs. */
        APPLICATION,
        /** The deadline came first. */
        DEADLINE,
        /** The peer had no memory for the request. */
        OVERLOADED,
        /** Whoever answers there does not answer this kind of request. */
        UNSUPPORTED
    }

    public UcxRequestException(Reason reason, String message) {
        super(message);
        this.reason = Objects.requireNonNull(reason, "reason");
    }

    /** {@return why} */
    public Reason reason() {
        return reason;
    }

    /** {@return whether the same request may succeed a little later: nobody has begun to answer it} */
    public boolean isRetryable() {
        return reason == Reason.REFUSED || reason == Reason.OVERLOADED;
    }

    /** The code of a stream's error, which is never 0. */
    public static int code(Reason reason) {
        return reason.ordinal() + InboundFrames.REFUSED;
    }

    public static UcxRequestException of(int code, String text) {
        Reason[] reasons = Reason.values();
        int index = code - InboundFrames.REFUSED;
        return new UcxRequestException(index >= 0 && index < reasons.length ? reasons[index] : Reason.APPLICATION,
                text);
    }
}
