package io.reactorucx.internal.request;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.UcxException;
import io.reactorucx.core.UcxStatus;
import io.reactorucx.internal.message.MessageMultiplexer;
import io.reactorucx.internal.message.MessageStream;
import io.reactorucx.message.UcxRequestException;
import io.reactorucx.message.UcxRequestException.Reason;
import org.reactivestreams.Subscription;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/** Waits until the answers to one request have gone, and ends its stream as they have ended. */
final class ResponseSubscriber implements CoreSubscriber<Void> {

    private static final Logger LOG = LoggerFactory.getLogger(ResponseSubscriber.class);

    /**
     * What an operator of theirs holds when the requester leaves is released: as {@link Mono#doOnDiscard} puts it
     * there, but once.
     */
    private static final Context RELEASING = Operators.enableOnDiscard(Context.empty(), UcxBuffer::discard);

    private final MessageMultiplexer mux;
    private final MessageStream stream;

    ResponseSubscriber(MessageMultiplexer mux, MessageStream stream) {
        this.mux = mux;
        this.stream = stream;
    }

    @Override
    public Context currentContext() {
        return RELEASING;
    }

    @Override
    public void onSubscribe(Subscription subscription) {
        // A send needs no demand.
    }

    @Override
    public void onNext(Void nothing) {
        // Never.
    }

    @Override
    public void onError(Throwable error) {
        Reason reason = reason(error);
        LOG.debug("[{}] a request failed: {}", mux.connection().peer(), reason, error);
        stream.fail(UcxRequestException.code(reason), String.valueOf(error.getMessage()));
        stream.cancel();
    }

    @Override
    public void onComplete() {
        stream.complete();
        stream.cancel();
    }

    private static Reason reason(Throwable error) {
        if (error instanceof UcxRequestException said) {
            return said.reason();
        }
        return error instanceof UcxException ucx && ucx.status() == UcxStatus.EXCEEDS_LIMIT ? Reason.OVERLOADED
                : Reason.APPLICATION;
    }
}
