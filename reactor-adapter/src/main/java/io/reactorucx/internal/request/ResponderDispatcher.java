package io.reactorucx.internal.request;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.codec.EncodedMessage;
import io.reactorucx.internal.codec.InboundBatch;
import io.reactorucx.internal.concurrent.ApplicationErrors;
import io.reactorucx.internal.concurrent.ContainedPublisher;
import io.reactorucx.internal.counter.RequestCounters;
import io.reactorucx.internal.frame.RequestHeader;
import io.reactorucx.internal.message.MessageProtocol;
import io.reactorucx.internal.message.MessageStream;
import io.reactorucx.internal.message.MessageStreams;
import io.reactorucx.internal.message.context.StreamContext;
import io.reactorucx.message.RequestStatistics.Side;
import io.reactorucx.message.UcxObserver;
import io.reactorucx.message.UcxObserver.Activity;
import io.reactorucx.message.UcxObserver.Scope;
import io.reactorucx.message.UcxObserver.Span;
import io.reactorucx.message.UcxRequestException.Reason;
import io.reactorucx.message.UcxResponder;
import io.reactorucx.transport.frame.ProtocolViolationException;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Hands the requests of one connection to its responder, and sends the responses.
 *
 * <p>Thread: engine.
 */
public final class ResponderDispatcher implements MessageStreams.StreamAcceptor {

    private static final Logger LOG = LoggerFactory.getLogger(ResponderDispatcher.class);

    private final MessageProtocol protocol;
    private final UcxResponder responder;
    private final @Nullable UcxObserver observer;
    private final long maxMessageBytes;
    private final AtomicInteger fireAndForgets = new AtomicInteger();

    private ResponderDispatcher(MessageProtocol protocol, UcxResponder responder, @Nullable UcxObserver observer) {
        this.protocol = protocol;
        this.responder = responder;
        this.observer = observer;
        this.maxMessageBytes = protocol.context().maxMessageBytes();
    }

    /**
     * Responds until the subscription is cancelled, or the connection accepts no further requests and none is left;
     * fails if the connection has a responder already.
     *
     * @param observer sees each request, null for none
     * @param errors gets the errors of the responder
     */
    public static Mono<Void> mono(MessageProtocol protocol, UcxResponder responder, @Nullable UcxObserver observer,
            Consumer<? super Throwable> errors) {
        ResponderDispatcher dispatcher = new ResponderDispatcher(protocol, responder, observer);
        return Mono.create(sink -> {
            protocol.context().execute(() -> {
                if (protocol.streams().accept(dispatcher)) {
                    protocol.onHandlerError(errors);
                    protocol.streams().whenDone(sink::success);
                } else {
                    sink.error(new IllegalStateException("respond: this connection has a responder already"));
                }
            }, sink::error);
            sink.onDispose(() -> protocol.context().execute(() -> protocol.streams().removeAcceptor(dispatcher)));
        });
    }

    @Override
    public void opened(MessageStream stream, byte[] first) {
        RequestHeader header;
        try {
            header = RequestHeader.parse(first);
        } catch (ProtocolViolationException e) {
            stream.complete();
            stream.cancel();
            throw e;
        }
        if (header.atOnce()) {
            stream.giveImpliedCredit();
        } else if (!header.follows()) {
            protocol.context().requireTaken(header.request().length);
            protocol.context().counters().requestMessages().received(1, header.request().length);
        }
        if (header.answer() == RequestHeader.Answer.NONE) {
            fireAndForget(stream, header);
            return;
        }
        RequestDeadline deadline = new RequestDeadline(header.deadlineMillis());
        stream.send(responses(stream, header, deadline), buffer -> buffer,
                new ResponseSubscriber(protocol, stream, begun(), deadline));
    }

    private short begun() {
        return protocol.context().counters().requests().begun(Side.SERVER);
    }

    /** Takes what most requests are without the operators that others need. */
    @Override
    public boolean opened(int id, int messages, int bytes, InboundBatch batch, int offset, int length) {
        if (messages == 0 || observer != null || !RequestHeader.isForOneAtOnce(batch.bytes(), offset, length)) {
            return false;
        }
        if (length - RequestHeader.FIXED_BYTES > maxMessageBytes) {
            protocol.context().requireTaken(length - RequestHeader.FIXED_BYTES);
        }
        RequestReply reply = new RequestReply(protocol, messages, bytes, length - RequestHeader.FIXED_BYTES);
        protocol.streams().accepted(reply, id, messages);
        Mono<UcxBuffer> response;
        try {
            UcxBuffer request = protocol.copyOfRequest(batch.bytes(), offset + RequestHeader.FIXED_BYTES,
                    length - RequestHeader.FIXED_BYTES, responder);
            response = Objects.requireNonNull(responder.requestResponse(request), "the responder returned null");
        } catch (Throwable t) {
            ApplicationErrors.rethrowIfOutOfMemory(t);
            reply.fail(ApplicationErrors.signal(t));
            return true;
        }
        reply.subscribeTo(response);
        return true;
    }

    /**
     * The requester has cancelled its direction of the stream at once, which does not end the request. The stream ends
     * here as well, so that requests without a response are bounded by this side.
     */
    private void fireAndForget(MessageStream stream, RequestHeader header) {
        stream.complete();
        if (fireAndForgets.incrementAndGet() > protocol.context().limits().maxStreams()) {
            fireAndForgets.decrementAndGet();
            stream.cancel();
            protocol.context().counters().droppedRequest();
            LOG.debug("[{}] fireAndForget dropped: {} are in progress", protocol.context().connection().name(),
                    protocol.context().limits().maxStreams());
            return;
        }
        protocol.streams().hold();
        short timed = begun();
        RequestDeadline deadline = new RequestDeadline(header.deadlineMillis());
        Flux<UcxBuffer> nothing = responses(stream, header, deadline).doOnError(error -> over(error, timed))
                .doOnComplete(() -> over(null, timed));
        nothing.doFinally(signal -> {
            fireAndForgets.decrementAndGet();
            stream.cancel();
            protocol.context().execute(protocol.streams()::release);
        }).subscribe(ignored -> { }, error -> {
            LOG.debug("[{}] fireAndForget failed", protocol.context().connection().name(), error);
            if (RequestErrors.reason(error) != Reason.DEADLINE) {
                protocol.handlerFailed(error);
            }
        });
    }

    /** Counts the end of a request without a response, on any thread. */
    private void over(@Nullable Throwable error, short timed) {
        StreamContext context = protocol.context();
        context.execute(() -> context.counters().requests().ended(Side.SERVER,
                RequestCounters.outcome(Side.SERVER, error), timed));
    }

    private Flux<UcxBuffer> responses(MessageStream stream, RequestHeader header, RequestDeadline deadline) {
        UcxObserver sees = observer;
        if (sees == null) {
            return limited(stream, header, deadline, Span.NONE);
        }
        return ObservedPublisher.flux(sees, activity(header), header.trace(), deadline,
                span -> limited(stream, header, deadline, span));
    }

    /** Within the observation, which sees the deadline then. */
    private Flux<UcxBuffer> limited(MessageStream stream, RequestHeader header, RequestDeadline deadline, Span span) {
        return deadline.limit(new ContainedPublisher<>(Flux.defer(() -> respond(stream, header, span))));
    }

    private Activity activity(RequestHeader header) {
        return new Activity(Activity.Kind.RESPONSE, RequestExchange.name(header.answer()),
                protocol.context().connection().peer());
    }

    private Publisher<UcxBuffer> respond(MessageStream stream, RequestHeader header, Span span) {
        return switch (header.answer()) {
            case NONE -> request(stream, header)
                    .flatMapMany(request -> within(span, "fireAndForget", () -> responder.fireAndForget(request)))
                    .thenMany(Flux.<UcxBuffer>empty());
            case ONE -> request(stream, header).flatMapMany(request ->
                    within(span, "requestResponse", () -> responder.requestResponse(request)));
            case MANY -> request(stream, header).flatMapMany(request ->
                    within(span, "requestStream", () -> responder.requestStream(request)));
            case CHANNEL -> responder.requestChannel(receive(stream));
        };
    }

    /**
     * Returns what a method of the responder returns, which is called with the span current on the thread. A large
     * request comes after its stream was opened, so the call needs a guard of its own.
     */
    private static <T> Flux<T> within(Span span, String method, Supplier<? extends Publisher<T>> call) {
        return ContainedPublisher.calling("the responder's " + method, () -> {
            try (Scope _ = span.open()) {
                return call.get();
            }
        });
    }

    private Mono<UcxBuffer> request(MessageStream stream, RequestHeader header) {
        return header.follows() ? receive(stream).take(1, true).next() : Mono.fromCallable(() ->
                protocol.copyOfRequest(header.request(), 0, header.request().length, responder));
    }

    private Flux<UcxBuffer> receive(MessageStream stream) {
        return stream.receive(EncodedMessage::lease, responder, null);
    }
}
