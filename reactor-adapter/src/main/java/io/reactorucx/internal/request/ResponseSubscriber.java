package io.reactorucx.internal.request;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.internal.counter.RequestCounters;
import io.reactorucx.internal.message.MessageProtocol;
import io.reactorucx.internal.message.MessageStream;
import io.reactorucx.internal.message.context.StreamContext;
import io.reactorucx.message.RequestStatistics.Side;
import io.reactorucx.message.UcxRequestException.Reason;
import io.reactorucx.transport.command.LimitedLog;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/** Subscribes to the sending of the responses to one request, and ends the request's stream as it ends. */
final class ResponseSubscriber implements CoreSubscriber<Void> {

    private static final Logger LOG = LoggerFactory.getLogger(ResponseSubscriber.class);
    /** Errors that the peer gets without their text. */
    private static final LimitedLog HIDDEN = new LimitedLog(LOG);

    /**
     * Releases the leases that the responder's operators hold when the requester cancels. The hook is the one that
     * {@link Mono#doOnDiscard} installs, made once for all requests.
     */
    static final Context RELEASING = Operators.enableOnDiscard(Context.empty(), UcxBuffer::discard);

    private final MessageProtocol protocol;
    private final MessageStream stream;
    private final short timed;
    private final RequestDeadline deadline;

    /**
     * Creates the subscriber of one sending.
     *
     * @param timed of the request, see {@link RequestCounters#begun}
     */
    ResponseSubscriber(MessageProtocol protocol, MessageStream stream, short timed) {
        this(protocol, stream, timed, RequestDeadline.NONE);
    }

    ResponseSubscriber(MessageProtocol protocol, MessageStream stream, short timed, RequestDeadline deadline) {
        this.protocol = protocol;
        this.stream = stream;
        this.timed = timed;
        this.deadline = deadline;
    }

    private void over(@Nullable Throwable error) {
        StreamContext context = protocol.context();
        context.execute(() -> context.counters().requests().ended(Side.SERVER,
                RequestCounters.outcome(Side.SERVER, error), timed));
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
        // A send emits nothing.
    }

    @Override
    public void onError(Throwable failure) {
        Throwable error = deadline.orDeadline(failure);
        over(error);
        Reason reason = RequestErrors.reason(error);
        LOG.debug("[{}] a request failed: {}", protocol.context().connection().name(), reason, error);
        if (reason != Reason.DEADLINE) {
            protocol.handlerFailed(error);
        }
        boolean detailed = protocol.context().limits().detailedErrors();
        if (!detailed && !RequestErrors.isForPeer(error) && !isEndOfConnection(error)) {
            HIDDEN.warn("[" + protocol.context().connection().name() + "] a responder failed; the peer does not get"
                    + " the text: " + error, error);
        }
        RequestErrors.fail(stream, error, detailed);
        stream.cancel();
    }

    private static boolean isEndOfConnection(Throwable error) {
        return error instanceof UcxException end && (end instanceof UcxClosedException || end.isConnectionLost());
    }

    @Override
    public void onComplete() {
        over(null);
        stream.complete();
        stream.cancel();
    }
}
