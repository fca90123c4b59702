package io.reactorucx.internal.request;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.UcxClosedException;
import io.reactorucx.internal.frame.RequestHeader;
import io.reactorucx.internal.frame.RequestHeader.Answer;
import io.reactorucx.internal.frame.StreamErrorException;
import io.reactorucx.internal.message.InboundFrames;
import io.reactorucx.internal.message.MessageDecoder;
import io.reactorucx.internal.message.MessageMultiplexer;
import io.reactorucx.internal.message.MessageStream;
import io.reactorucx.message.UcxRequestException;
import io.reactorucx.message.UcxRequestException.Reason;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * The requester's side of an exchange: a stream that opens with the request, and what comes back over it. Opened anew
 * by each subscriber.
 */
public final class RequestExchange {

    private static final byte[] NOTHING = new byte[0];

    private final MessageMultiplexer mux;
    private final Answer answer;
    private final int deadlineMillis;
    /** A lease, an array, or a publisher of leases. */
    private final Object payload;

    public RequestExchange(MessageMultiplexer mux, Answer answer, int deadlineMillis, Object payload) {
        this.mux = mux;
        this.answer = answer;
        this.deadlineMillis = deadlineMillis;
        this.payload = payload;
    }

    /**
     * An open stream, and what is sent on it besides its first payload: null when that was all. On the engine's thread.
     */
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

        /** Whoever takes it ends it. */
        MessageStream take() {
            taken = true;
            return stream;
        }
    }

    /** Completes when the request has gone; nothing comes back. */
    public Mono<Void> sent() {
        return open().flatMap(exchange -> {
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

    /** The only thing that comes back. */
    public <T> Mono<T> answer(MessageDecoder<T> decoder) {
        long length = payload instanceof UcxBuffer lease ? lease.length() : ((byte[]) payload).length;
        return deadlineMillis == 0 && length <= room() ? RequestResponseMono.mono(mux, payload, decoder)
                : answers(decoder).singleOrEmpty().doOnDiscard(UcxBuffer.class, UcxBuffer::dispose);
    }

    /** What comes back. */
    public <T> Flux<T> answers(MessageDecoder<T> decoder) {
        Flux<T> answers = open().flatMapMany(exchange -> {
            MessageStream stream = exchange.take();
            Flux<T> received = stream.receive(decoder);
            Mono<Void> sending = exchange.sending;
            if (sending == null) {
                stream.complete();
                return received.doOnCancel(stream::cancel);
            }
            // An answer may come before all was sent, and does not need the rest: that is no error.
            Mono<Throwable> failure = sending.doOnSuccess(sent -> stream.complete()).then(Mono.<Throwable>never())
                    .onErrorResume(error -> error instanceof UcxClosedException ? Mono.never() : Mono.just(error))
                    .doOnNext(error -> stream.fail(UcxRequestException.code(Reason.APPLICATION),
                    String.valueOf(error.getMessage())));
            return DeadlineOperator.of(received, failure).doOnCancel(stream::cancel)
                    .doFinally(signal -> stream.complete());
        }).onErrorMap(StreamErrorException.class, error ->
                UcxRequestException.of(error.code(), String.valueOf(error.getMessage())));
        return DeadlineOperator.late(answers, deadlineMillis);
    }

    /** On the engine's thread, so that what the subscriber asks for at once travels with the request. */
    private Mono<Exchange> open() {
        return Mono.create(sink -> {
            Opening opening = new Opening(sink);
            sink.onCancel(() -> mux.execute(opening::cancel, closed -> opening.cancel()));
            mux.execute(opening::open, opening::refused);
        });
    }

    /** One subscriber's opening. On the engine's thread. */
    private final class Opening {

        private final MonoSink<Exchange> sink;
        private boolean cancelled;
        private boolean used;

        Opening(MonoSink<Exchange> sink) {
            this.sink = sink;
        }

        void open() {
            if (cancelled) {
                return;
            }
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
                // The subscriber has left in this very moment.
                exchange.stream.complete();
                exchange.stream.cancel();
                release();
            }
        }

        private Exchange begin() {
            InboundFrames streams = mux.streams();
            if (payload instanceof UcxBuffer lease) {
                if (lease.length() > room()) {
                    return Exchange.of(stream(streams, true, NOTHING),
                            Mono.just(lease).doOnDiscard(UcxBuffer.class, UcxBuffer::dispose));
                }
                MessageStream stream = stream(streams, false, lease.toByteArray());
                lease.release();
                return Exchange.of(stream);
            }
            if (payload instanceof byte[] bytes) {
                return bytes.length > room() ? Exchange.of(stream(streams, true, NOTHING), bytes)
                        : Exchange.of(stream(streams, false, bytes));
            }
            @SuppressWarnings("unchecked")
            Publisher<? extends UcxBuffer> requests = (Publisher<? extends UcxBuffer>) payload;
            return Exchange.of(stream(streams, true, NOTHING), requests);
        }

        void cancel() {
            cancelled = true;
            if (!used) {
                used = true;
                release();
            }
        }

        void refused(RuntimeException closed) {
            release();
            sink.error(closed);
        }
    }

    private MessageStream stream(InboundFrames streams, boolean follows, byte[] request) {
        return streams.open(new RequestHeader(answer, follows, deadlineMillis, request).toBytes());
    }

    private int room() {
        return mux.limits().rendezvousBytes() - RequestHeader.FIXED_BYTES;
    }

    private void release() {
        if (payload instanceof UcxBuffer lease) {
            lease.dispose();
        }
    }
}
