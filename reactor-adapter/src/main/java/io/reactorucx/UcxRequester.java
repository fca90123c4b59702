package io.reactorucx;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.internal.frame.RequestHeader.Answer;
import io.reactorucx.internal.message.MessageDecoder;
import io.reactorucx.internal.message.MessageMultiplexer;
import io.reactorucx.internal.request.RequestExchange;
import io.reactorucx.message.UcxRequestException;
import io.reactorucx.message.UcxResponder;
import java.time.Duration;
import java.util.Objects;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Requests to the peer's {@link UcxResponder}. Each is a stream of its own on the connection, none waits for another;
 * how many may be under way is the peer's {@code maxStreams}. Immutable.
 *
 * <p><b>Threading:</b> any thread; signals on the engine's thread. <b>Ownership:</b> a request that is a lease belongs
 * to this side's end of the exchange from the subscription on, so that it serves one subscription; one that is an array
 * serves any number. Answers that are leases are the subscriber's to release. A cancel reaches whoever answers.
 * <b>Errors:</b> {@link UcxRequestException} of the peer, {@link io.reactorucx.core.UcxException} of the connection,
 * {@link io.reactorucx.core.UcxStatus#EXCEEDS_LIMIT} when the peer takes no more requests at once.
 */
public final class UcxRequester {

    private static final Duration LONGEST = Duration.ofDays(1);

    private final MessageMultiplexer mux;
    private final int deadlineMillis;

    UcxRequester(MessageMultiplexer mux, int deadlineMillis) {
        this.mux = mux;
        this.deadlineMillis = deadlineMillis;
    }

    /**
     * The same with a deadline for each exchange as a whole, which travels with the request: both sides end it then.
     *
     * @param deadline 1 ms to 1 day from the subscription, {@link Duration#ZERO} for none
     * @return a changed copy
     */
    public UcxRequester withDeadline(Duration deadline) {
        if (!deadline.isZero() && (deadline.compareTo(Duration.ofMillis(1)) < 0 || deadline.compareTo(LONGEST) > 0)) {
            throw new IllegalArgumentException("deadline " + deadline + ": must be 0 or in 1 ms.." + LONGEST);
        }
        return new UcxRequester(mux, (int) deadline.toMillis());
    }

    /**
     * Asks for nothing back.
     *
     * @param request the request
     * @return completes when the request has gone
     */
    public Mono<Void> fireAndForget(UcxBuffer request) {
        return new RequestExchange(mux, Answer.NONE, deadlineMillis, Objects.requireNonNull(request, "request")).sent();
    }

    /**
     * Asks for nothing back.
     *
     * @param request the request
     * @return completes when the request has gone
     */
    public Mono<Void> fireAndForget(byte[] request) {
        return new RequestExchange(mux, Answer.NONE, deadlineMillis, Objects.requireNonNull(request, "request")).sent();
    }

    /**
     * Asks for one answer.
     *
     * @param request the request
     * @return the answer, empty when the peer answers without one
     */
    public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
        return new RequestExchange(mux, Answer.ONE, deadlineMillis, Objects.requireNonNull(request, "request"))
                .answer(MessageDecoder.BUFFERS);
    }

    /**
     * Asks for one answer.
     *
     * @param request the request
     * @return the answer, empty when the peer answers without one
     */
    public Mono<byte[]> requestResponse(byte[] request) {
        return new RequestExchange(mux, Answer.ONE, deadlineMillis, Objects.requireNonNull(request, "request"))
                .answer(MessageDecoder.BYTES);
    }

    /**
     * Asks for a stream of answers.
     *
     * @param request the request
     * @return the answers, as many as are asked for
     */
    public Flux<UcxBuffer> requestStream(UcxBuffer request) {
        return new RequestExchange(mux, Answer.MANY, deadlineMillis, Objects.requireNonNull(request, "request"))
                .answers(MessageDecoder.BUFFERS);
    }

    /**
     * Asks for a stream of answers.
     *
     * @param request the request
     * @return the answers, as many as are asked for
     */
    public Flux<byte[]> requestStream(byte[] request) {
        return new RequestExchange(mux, Answer.MANY, deadlineMillis, Objects.requireNonNull(request, "request"))
                .answers(MessageDecoder.BYTES);
    }

    /**
     * Exchanges messages both ways; over when the answers end, which cancels what is still to be sent.
     *
     * @param requests leases, each released when it has gone; an error of theirs ends both ways
     * @return the answers, as many as are asked for
     */
    public Flux<UcxBuffer> requestChannel(Publisher<? extends UcxBuffer> requests) {
        return new RequestExchange(mux, Answer.CHANNEL, deadlineMillis, Objects.requireNonNull(requests, "requests"))
                .answers(MessageDecoder.BUFFERS);
    }
}
