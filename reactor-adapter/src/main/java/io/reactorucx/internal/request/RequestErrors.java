package io.reactorucx.internal.request;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.internal.frame.MessageFrameCodec;
import io.reactorucx.internal.frame.StreamErrorException;
import io.reactorucx.internal.message.MessageStream;
import io.reactorucx.message.UcxRequestException;
import io.reactorucx.message.UcxRequestException.Reason;

/** Translates between the reasons of a failed request and the codes of ERROR frames, which are never 0. */
public final class RequestErrors {

    private static final Reason[] REASONS = Reason.values();
    /** Codes of the application follow this one. A peer that does not know them takes them for its errors as well. */
    private static final int APPLICATION_CODES = 1 << 16;

    private RequestErrors() {
    }

    /** Returns the code of a reason. Reasons stand in the order of their codes, from that of a refused stream on. */
    public static int code(Reason reason) {
        return reason.ordinal() + MessageFrameCodec.STREAM_REFUSED;
    }

    /** Ends a stream with an error of this side's application. */
    static void fail(MessageStream stream, Throwable error, boolean detailed) {
        stream.fail(error instanceof UcxRequestException own && own.code() > 0 ? APPLICATION_CODES + own.code()
                : code(reason(error)), text(error, detailed));
    }

    /** Returns the peer's error as the requester gets it; a code that is unknown here is the application's. */
    static UcxRequestException exception(StreamErrorException error) {
        long code = (long) error.code() - APPLICATION_CODES;
        if (code >= 1 && code <= UcxRequestException.MAX_CODE) {
            return new UcxRequestException((int) code, String.valueOf(error.getMessage()));
        }
        int index = error.code() - MessageFrameCodec.STREAM_REFUSED;
        Reason reason = index >= 0 && index < REASONS.length ? REASONS[index] : Reason.APPLICATION;
        return new UcxRequestException(reason, String.valueOf(error.getMessage()));
    }

    /** Returns whether an error was made for the peer, so that its text is. */
    static boolean isForPeer(Throwable error) {
        return error instanceof UcxRequestException;
    }

    /** Returns the text that the peer gets for an error: its own text may tell of this side's internals. */
    private static String text(Throwable error, boolean detailed) {
        if (!detailed && !isForPeer(error)) {
            return reason(error) == Reason.OVERLOADED ? "the peer has no memory for it"
                    : "the peer's application failed";
        }
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
