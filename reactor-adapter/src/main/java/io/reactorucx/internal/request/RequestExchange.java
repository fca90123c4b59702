package io.reactorucx.internal.request;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.codec.MessageDecoder;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.engine.Command;
import io.reactorucx.internal.counter.RequestCounters;
import io.reactorucx.internal.frame.RequestHeader;
import io.reactorucx.internal.frame.RequestHeader.Answer;
import io.reactorucx.internal.frame.StreamErrorException;
import io.reactorucx.internal.message.MessageProtocol;
import io.reactorucx.internal.message.MessageStream;
import io.reactorucx.internal.message.MessageStreams;
import io.reactorucx.message.RequestStatistics.Outcome;
import io.reactorucx.message.RequestStatistics.Side;
import io.reactorucx.message.TraceContext;
import io.reactorucx.transport.buffer.LeakRecord;
import io.reactorucx.transport.command.RetryingCommand;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * The requester's side of an exchange: a stream that opens with the request, and the responses on it. Each subscriber
 * opens a stream of its own.
 */
public final class RequestExchange {

    private static final byte[] EMPTY = new byte[0];

    private final MessageProtocol protocol;
    private final Answer answer;
    private final int deadlineMillis;
    /** A lease, an array, or a publisher of leases. */
    private final Object payload;
    private final @Nullable TraceContext trace;
    private final @Nullable LeakRecord place;

    /**
     * Creates an exchange.
     *
     * @param place where the application asked for it, for the report of a leaked response
     */
    public RequestExchange(MessageProtocol protocol, Answer answer, int deadlineMillis, Object payload,
            @Nullable TraceContext trace, @Nullable LeakRecord place) {
        this.place = place;
        this.protocol = protocol;
        this.answer = answer;
        this.deadlineMillis = deadlineMillis;
        this.payload = payload;
        this.trace = trace != null && protocol.context().peer().takesTraces() && fits(protocol, trace) ? trace : null;
    }

    /** The settings of the sizes may leave no room for a trace context: then the request goes without. */
    private static boolean fits(MessageProtocol protocol, TraceContext trace) {
        return RequestHeader.bytesBefore(trace) <= protocol.context().limits().rendezvousBytes();
    }

    /** Returns the name of a kind of request for observers. */
    public static String name(Answer answer) {
        return switch (answer) {
            case NONE -> "fire_and_forget";
            case ONE -> "request_response";
            case MANY -> "request_stream";
            case CHANNEL -> "request_channel";
        };
    }

    /** Returns the only response; a second one is an error. */
    public static <T> Mono<T> one(Flux<T> responses) {
        return responses.singleOrEmpty().doOnDiscard(UcxBuffer.class, UcxBuffer::dispose);
    }

    /** An open stream and the sending of what did not fit into its first payload, if anything. Thread: engine. */
    private static final class Exchange {

        private final MessageStream stream;
        private final @Nullable Mono<Void> sending;
        private boolean taken;

        private Exchange(MessageStream stream, @Nullable Mono<Void> sending) {
            this.stream = stream;
            this.sending = sending;
        }

        static Exchange of(MessageStream stream) {
            return new Exchange(stream, null);
        }

        static Exchange of(MessageStream stream, Publisher<? extends UcxBuffer> messages) {
            return new Exchange(stream, stream.send(messages));
        }

        static Exchange of(MessageStream stream, byte[] message) {
            return new Exchange(stream, stream.send(Mono.just(message), bytes -> bytes));
        }

        /** Takes the stream over; the caller ends it. */
        MessageStream take() {
            taken = true;
            return stream;
        }
    }

    /** Sends the request, to which there is no response; completes when it has been sent. */
    public Mono<Void> fireAndForget() {
        return Mono.defer(() -> {
            Tally tally = new Tally();
            return tally.counted(fireAndForget(tally).flux()).then();
        });
    }

    private Mono<Void> fireAndForget(Tally tally) {
        return open(tally).flatMap(exchange -> {
            MessageStream stream = exchange.take();
            stream.cancel();
            Mono<Void> sending = exchange.sending;
            if (sending == null) {
                stream.complete();
                return Mono.empty();
            }
            return sending.doFinally(signal -> stream.complete());
        });
    }

    /** Sends the request, and gives its only response. */
    public <T> Mono<T> response(MessageDecoder<T> decoder) {
        long length = payload instanceof UcxBuffer lease ? lease.length() : ((byte[]) payload).length;
        return deadlineMillis == 0 && trace == null && length <= protocol.context().peer().maxMessageBytes()
                ? new RequestResponseMono<>(protocol, payload, decoder, place) : one(responses(decoder));
    }

    /** Sends the request, or the requests of a channel, and gives the responses. */
    public <T> Flux<T> responses(MessageDecoder<T> decoder) {
        return Flux.defer(() -> {
            Tally tally = new Tally();
            return tally.counted(responses(decoder, tally));
        });
    }

    private <T> Flux<T> responses(MessageDecoder<T> decoder, Tally tally) {
        Flux<T> responses = open(tally).flatMapMany(exchange -> {
            MessageStream stream = exchange.take();
            Flux<T> received = stream.receive(decoder, this, place);
            Mono<Void> sending = exchange.sending;
            if (sending == null) {
                stream.complete();
                return received.doOnCancel(stream::cancel);
            }
            // UcxClosedException: the responder has responded before everything was sent, and does not need the rest.
            Mono<Throwable> failure = sending.doOnSuccess(sent -> stream.complete()).then(Mono.<Throwable>never())
                    .onErrorResume(error -> error instanceof UcxClosedException ? Mono.never() : Mono.just(error))
                    .doOnNext(error -> RequestErrors.fail(stream, error, protocol.context().limits().detailedErrors()));
            return DeadlineOperator.interrupted(received, failure).doOnCancel(stream::cancel)
                    .doFinally(signal -> stream.complete());
        }).onErrorMap(StreamErrorException.class, RequestErrors::exception);
        return DeadlineOperator.withDeadline(responses, deadlineMillis);
    }

    /** Opens a stream on the engine's thread, so that the subscriber's first demand travels with the request. */
    private Mono<Exchange> open(Tally tally) {
        return Mono.create(sink -> {
            Opening opening = new Opening(sink, tally);
            sink.onCancel(() -> protocol.context().execute(opening::cancel, closed -> opening.cancel()));
            protocol.context().connection().engine().execute(opening);
        });
    }

    /** Counts one subscriber's request. Thread: engine; {@link #counted} any. */
    private final class Tally {

        private short timed;
        private boolean begun;
        private boolean over;

        void begin() {
            if (!over) {
                begun = true;
                timed = requests().begun(Side.CLIENT);
            }
        }

        <T> Flux<T> counted(Flux<T> responses) {
            return responses.doOnComplete(() -> end(Outcome.SUCCESS))
                    .doOnError(error -> end(RequestCounters.outcome(Side.CLIENT, error)))
                    .doOnCancel(() -> end(Outcome.CANCELLED));
        }

        private void end(Outcome outcome) {
            protocol.context().execute(() -> ended(outcome));
        }

        /** Counts a request that has begun: before that the subscriber may have cancelled. */
        private void ended(Outcome outcome) {
            if (!over) {
                over = true;
                if (begun) {
                    requests().ended(Side.CLIENT, outcome, timed);
                }
            }
        }

        private RequestCounters requests() {
            return protocol.context().counters().requests();
        }
    }

    /** One subscriber's opening of a stream. Thread: engine. */
    private final class Opening implements MessageStreams.Opening, Command, Runnable {

        private final MonoSink<Exchange> sink;
        private final Tally tally;
        private final long begunNanos = System.nanoTime();
        private boolean cancelled;
        private boolean used;

        Opening(MonoSink<Exchange> sink, Tally tally) {
            this.sink = sink;
            this.tally = tally;
        }

        @Override
        public void run(UcpWorker worker) {
            if (!protocol.context().isPostponed(this)) {
                protocol.context().within(this);
            }
        }

        @Override
        public void reject(RuntimeException cause) {
            if (cause instanceof UcxClosedException) {
                refused(cause);
            } else {
                RetryingCommand.retry(protocol.context().connection().engine(), this);
            }
        }

        @Override
        public void run() {
            if (!cancelled) {
                tally.begin();
                protocol.streams().request(this);
            }
        }

        @Override
        public void open() {
            used = true;
            Exchange exchange;
            try {
                exchange = begin();
            } catch (RuntimeException e) {
                release();
                sink.error(e);
                return;
            }
            sink.success(exchange);
            if (!exchange.taken) {
                // The subscriber has cancelled within the call.
                exchange.stream.complete();
                exchange.stream.cancel();
                release();
            }
        }

        private Exchange begin() {
            if (payload instanceof UcxBuffer lease) {
                protocol.context().peer().checkLength(lease.length());
                if (lease.length() > maxInlineBytes()) {
                    return Exchange.of(stream(true, EMPTY, remainingMillis()),
                            Mono.just(lease).doOnDiscard(UcxBuffer.class, UcxBuffer::dispose));
                }
                MessageStream stream = stream(false, lease.toByteArray(), remainingMillis());
                lease.release();
                return Exchange.of(stream);
            }
            if (payload instanceof byte[] bytes) {
                protocol.context().peer().checkLength(bytes.length);
                return bytes.length > maxInlineBytes() ? Exchange.of(stream(true, EMPTY, remainingMillis()), bytes)
                        : Exchange.of(stream(false, bytes, remainingMillis()));
            }
            @SuppressWarnings("unchecked")
            Publisher<? extends UcxBuffer> requests = (Publisher<? extends UcxBuffer>) payload;
            return Exchange.of(stream(true, EMPTY, remainingMillis()), requests);
        }

        /** Returns what the wait for the peer has left of the deadline. */
        private int remainingMillis() {
            return deadlineMillis == 0 ? 0
                    : Math.max(1, deadlineMillis - (int) ((System.nanoTime() - begunNanos) / 1_000_000));
        }

        void cancel() {
            cancelled = true;
            if (!used) {
                used = true;
                protocol.streams().forget(this);
                release();
            }
        }

        @Override
        public void refused(RuntimeException error) {
            used = true;
            release();
            sink.error(error);
        }
    }

    private MessageStream stream(boolean follows, byte[] request, int remainingMillis) {
        boolean atOnce = follows && answer != Answer.CHANNEL && protocol.streams().isPeerReady();
        MessageStream stream = protocol.streams().open(new RequestHeader(answer, follows, atOnce, remainingMillis,
                trace, request).toBytes());
        if (atOnce) {
            stream.takeImpliedCredit();
        } else if (!follows) {
            protocol.context().counters().requestMessages().sent(1, request.length);
        }
        return stream;
    }

    /** Returns the largest request that travels with the opening of its stream. */
    private int maxInlineBytes() {
        return protocol.context().limits().rendezvousBytes() - RequestHeader.bytesBefore(trace);
    }

    private void release() {
        if (payload instanceof UcxBuffer lease) {
            lease.dispose();
        }
    }
}
