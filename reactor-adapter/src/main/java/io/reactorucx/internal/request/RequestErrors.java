package io.reactorucx.internal.request;

import io.reactorucx.core.UcxException;
import io.reactorucx.core.UcxStatus;
import io.reactorucx.internal.frame.MessageFrameCodec;
import io.reactorucx.internal.frame.StreamErrorException;
import io.reactorucx.message.UcxRequestException;
import io.reactorucx.message.UcxRequestException.Reason;

/** Translates between the reasons of a failed request and the codes of ERROR frames, which are never 0. */
public final class RequestErrors {

    private static final Reason[] REASONS = Reason.values();

    private RequestErrors() {
    }

    /** Returns the code of a reason. Reasons stand in the order of their codes, from that of a refused stream on. */
    public static int code(Reason reason) {
        return reason.ordinal() + MessageFrameCodec.STREAM_REFUSED;
    }

    /** Returns the peer's error as the requester gets it; a code that is unknown here is the application's. */
    static UcxRequestException exception(StreamErrorException error) {
        int index = error.code() - MessageFrameCodec.STREAM_REFUSED;
        Reason reason = index >= 0 && index < REASONS.length ? REASONS[index] : Reason.APPLICATION;
        return new UcxRequestException(reason, String.valueOf(error.getMessage()));
    }

    /** Returns the message that the requester gets for an error of the responder, which may have none. */
    static String message(Throwable error) {
        String message = error.getMessage();
        return message == null ? error.getClass().getName() : message;
    }

    /** Returns the reason that the requester gets for an error of the responder. */
    static Reason reason(Throwable error) {
        if (error instanceof UcxRequestException failure) {
            return failure.reason();
        }
        return error instanceof UcxException ucx && ucx.status() == UcxStatus.EXCEEDS_LIMIT ? Reason.OVERLOADED
                : Reason.APPLICATION;
    }
}
