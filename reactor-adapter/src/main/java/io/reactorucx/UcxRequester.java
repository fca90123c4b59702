package io.reactorucx;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.codec.EncodedMessage;
import io.reactorucx.codec.MessageDecoder;
import io.reactorucx.internal.frame.RequestHeader.Answer;
import io.reactorucx.internal.message.MessageProtocol;
import io.reactorucx.internal.request.ObservedPublisher;
import io.reactorucx.internal.request.RequestExchange;
import io.reactorucx.message.TraceContext;
import io.reactorucx.message.UcxObserver;
import io.reactorucx.message.UcxObserver.Activity;
import io.reactorucx.message.UcxObserver.Span;
import io.reactorucx.message.UcxRequestException;
import io.reactorucx.message.UcxResponder;
import io.reactorucx.transport.buffer.LeakRecord;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Sends requests to the peer's {@link UcxResponder}. Each request is a stream of its own on the connection and waits
 * for no other, unless as many are in progress as the peer's {@code maxStreams} allows. Immutable.
 *
 * <p><b>Threading:</b> any thread; signals on the engine's thread. <b>Ownership:</b> the library releases a request
 * that is a lease, so that the returned publisher serves one subscription; one that is an array serves any number. The
 * subscriber releases responses that are leases. A cancel of the response cancels the responder's publisher.
 * <b>Errors:</b> {@link UcxRequestException} of the peer, {@link io.reactorucx.core.error.UcxException} of the
 * connection, {@link io.reactorucx.core.error.UcxStatus#EXCEEDS_LIMIT} when more than {@code maxWaitingRequests} wait.
 */
public final class UcxRequester {

    private static final Duration MAX_DEADLINE = Duration.ofDays(1);

    private final MessageProtocol protocol;
    private final int deadlineMillis;
    private final @Nullable UcxObserver observer;

    UcxRequester(MessageProtocol protocol, int deadlineMillis, @Nullable UcxObserver observer) {
        this.protocol = protocol;
        this.deadlineMillis = deadlineMillis;
        this.observer = observer;
    }

    /**
     * Limits how long each exchange may take as a whole. The deadline travels with the request, and both sides end the
     * exchange when it passes.
     *
     * @param deadline 1 ms to 1 day from the subscription, {@link Duration#ZERO} for none
     * @return a changed copy
     */
    public UcxRequester withDeadline(Duration deadline) {
        if (!Objects.requireNonNull(deadline, "deadline").isZero()
                && (deadline.compareTo(Duration.ofMillis(1)) < 0 || deadline.compareTo(MAX_DEADLINE) > 0)) {
            throw new IllegalArgumentException("deadline " + deadline + ": must be 0 or in 1 ms.." + MAX_DEADLINE);
        }
        return new UcxRequester(protocol, (int) deadline.toMillis(), observer);
    }

    private Mono<Void> fireAndForgetOf(Object request) {
        UcxObserver sees = observer;
        return sees == null ? exchange(Answer.NONE, request, null, null).fireAndForget()
                : observed(sees, Answer.NONE, span -> exchange(Answer.NONE, request, span.traceContext(), null)
                .fireAndForget()).then();
    }

    private <T> Mono<T> response(Object request, MessageDecoder<T> decoder) {
        UcxObserver sees = observer;
        LeakRecord place = protocol.context().pool().place();
        return sees == null ? exchange(Answer.ONE, request, null, place).response(decoder)
                : RequestExchange.one(observed(sees, Answer.ONE, span -> exchange(Answer.ONE, request,
                span.traceContext(), place).response(decoder)));
    }

    private <T> Flux<T> responses(Answer answer, Object request, MessageDecoder<T> decoder) {
        UcxObserver sees = observer;
        LeakRecord place = protocol.context().pool().place();
        return sees == null ? exchange(answer, request, null, place).responses(decoder) : observed(sees, answer,
                span -> exchange(answer, request, span.traceContext(), place).responses(decoder));
    }

    private RequestExchange exchange(Answer answer, Object request, @Nullable TraceContext trace,
            @Nullable LeakRecord place) {
        return new RequestExchange(protocol, answer, deadlineMillis, request, trace, place);
    }

    private <T> Flux<T> observed(UcxObserver sees, Answer answer,
            Function<? super Span, ? extends Publisher<T>> exchange) {
        return ObservedPublisher.flux(sees, new Activity(Activity.Kind.REQUEST, RequestExchange.name(answer),
                protocol.context().connection().peer()), null, exchange);
    }

    /**
     * Sends a request without a response.
     *
     * @param request the request
     * @return completes when the request has been sent
     */
    public Mono<Void> fireAndForget(UcxBuffer request) {
        return fireAndForgetOf(Objects.requireNonNull(request, "request"));
    }

    /**
     * Sends a request without a response.
     *
     * @param request the request
     * @return completes when the request has been sent
     */
    public Mono<Void> fireAndForget(byte[] request) {
        return fireAndForgetOf(Objects.requireNonNull(request, "request"));
    }

    /**
     * Sends a request with one response.
     *
     * @param request the request
     * @return the response, empty if the peer's responder completes without one
     */
    public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
        return response(Objects.requireNonNull(request, "request"), EncodedMessage::lease);
    }

    /**
     * Sends a request with one response.
     *
     * @param request the request
     * @return the response, empty if the peer's responder completes without one
     */
    public Mono<byte[]> requestResponse(byte[] request) {
        return response(Objects.requireNonNull(request, "request"), EncodedMessage::toByteArray);
    }

    /**
     * Sends a request with a stream of responses.
     *
     * @param request the request
     * @return the responses, as many as are requested
     */
    public Flux<UcxBuffer> requestStream(UcxBuffer request) {
        return responses(Answer.MANY, Objects.requireNonNull(request, "request"), EncodedMessage::lease);
    }

    /**
     * Sends a request with a stream of responses.
     *
     * @param request the request
     * @return the responses, as many as are requested
     */
    public Flux<byte[]> requestStream(byte[] request) {
        return responses(Answer.MANY, Objects.requireNonNull(request, "request"), EncodedMessage::toByteArray);
    }

    /**
     * Exchanges messages in both directions. The end of the responses ends the exchange and cancels the requests.
     *
     * @param requests leases, each released when it has been sent; their error ends both directions
     * @return the responses, as many as are requested
     */
    public Flux<UcxBuffer> requestChannel(Publisher<? extends UcxBuffer> requests) {
        return responses(Answer.CHANNEL, Objects.requireNonNull(requests, "requests"), EncodedMessage::lease);
    }

    @Override
    public String toString() {
        return "UcxRequester[" + protocol.context().connection().peer()
                + (deadlineMillis == 0 ? "]" : ", deadline=" + deadlineMillis + " ms]");
    }
}
