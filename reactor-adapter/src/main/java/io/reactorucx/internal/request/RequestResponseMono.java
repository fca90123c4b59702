package io.reactorucx.internal.request;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.core.UcxClosedException;
import io.reactorucx.engine.Command;
import io.reactorucx.internal.concurrent.RetryingCommand;
import io.reactorucx.internal.frame.RequestHeader;
import io.reactorucx.internal.frame.RequestHeader.Answer;
import io.reactorucx.internal.frame.StreamErrorException;
import io.reactorucx.internal.message.MessageDecoder;
import io.reactorucx.internal.message.MessageMultiplexer;
import io.reactorucx.internal.message.MessageStream;
import io.reactorucx.internal.message.ReceiveSubscription;
import io.reactorucx.message.UcxRequestException;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;

/**
 * One subscription to the answer of a small request without a deadline: what {@link RequestExchange} makes of
 * operators, in one object.
 *
 * <p>The subscriber's calls come on any thread, all else on the engine's. An answer waits here for the end of its
 * stream, and is released when that is an error, or nobody wants it any more.
 */
final class RequestResponseMono<T> implements CoreSubscriber<T>, Subscription, Command {

    @SuppressWarnings("rawtypes")
    private static final AtomicReferenceFieldUpdater<RequestResponseMono, Object> VALUE =
            AtomicReferenceFieldUpdater.newUpdater(RequestResponseMono.class, Object.class, "value");
    private static final Object NOTHING = new Object();

    private final MessageMultiplexer mux;
    /** A lease or an array. */
    private final Object request;
    private final MessageDecoder<T> decoder;
    private final CoreSubscriber<? super T> actual;
    private volatile @Nullable ReceiveSubscription<T> receiver;
    private volatile long requested;
    private volatile boolean cancelled;
    /** The answer, until somebody takes it. */
    private volatile Object value = NOTHING;
    private boolean over;

    private RequestResponseMono(MessageMultiplexer mux, Object request, MessageDecoder<T> decoder,
            CoreSubscriber<? super T> actual) {
        this.mux = mux;
        this.request = request;
        this.decoder = decoder;
        this.actual = actual;
    }

    static <T> Mono<T> mono(MessageMultiplexer mux, Object request, MessageDecoder<T> decoder) {
        return new Mono<>() {
            @Override
            public void subscribe(CoreSubscriber<? super T> actual) {
                RequestResponseMono<T> answer = new RequestResponseMono<>(mux, request, decoder, actual);
                actual.onSubscribe(answer);
                mux.connection().engine().execute(answer);
            }
        };
    }

    @Override
    public void run(UcpWorker worker) {
        // All of it travels together, and with what the subscriber has asked for.
        mux.enter();
        try {
            open();
        } finally {
            mux.leave();
        }
    }

    private void open() {
        if (cancelled) {
            release();
            return;
        }
        MessageStream stream;
        try {
            byte[] bytes = request instanceof UcxBuffer lease ? lease.toByteArray() : (byte[]) request;
            stream = mux.streams().open(new RequestHeader(Answer.ONE, false, 0, bytes).toBytes());
        } catch (RuntimeException e) {
            release();
            if (!cancelled) {
                actual.onError(e);
            }
            return;
        }
        release();
        stream.complete();
        ReceiveSubscription<T> opened = new ReceiveSubscription<>(stream.input(), decoder, this);
        stream.input().add(opened);
        // Before a look at what the subscriber has said meanwhile: from now on it says so there.
        receiver = opened;
        if (cancelled) {
            opened.cancel();
        } else if (requested != 0) {
            opened.request(requested);
        }
    }

    private void release() {
        if (request instanceof UcxBuffer lease) {
            lease.dispose();
        }
    }

    @Override
    public void reject(RuntimeException cause) {
        if (cause instanceof UcxClosedException) {
            release();
            if (!cancelled) {
                actual.onError(cause);
            }
        } else {
            RetryingCommand.retry(mux.connection().engine(), this);
        }
    }

    @Override
    public void request(long n) {
        // A second answer would be one too many, and has to be seen; 0 stands for nothing asked yet.
        long all = n > 0 && requested >= 0 ? Long.MAX_VALUE : Math.min(n, -1);
        requested = all;
        ReceiveSubscription<T> opened = receiver;
        if (opened != null) {
            opened.request(all);
        }
    }

    @Override
    public void cancel() {
        cancelled = true;
        discard();
        ReceiveSubscription<T> opened = receiver;
        if (opened != null) {
            opened.cancel();
        }
    }

    private void discard() {
        if (VALUE.getAndSet(this, NOTHING) instanceof UcxBuffer lease) {
            lease.dispose();
        }
    }

    @Override
    public void onSubscribe(Subscription subscription) {
        // It is the receiver that was made here.
    }

    @Override
    public void onNext(T answer) {
        if (over || value != NOTHING) {
            UcxBuffer.discard(answer);
            tooMany();
            return;
        }
        value = answer;
        if (cancelled) {
            discard();
        }
    }

    /** Others may come without an end: the first that is too many is the last. */
    private void tooMany() {
        ReceiveSubscription<T> opened = receiver;
        if (!over && opened != null) {
            over = true;
            discard();
            opened.cancel();
            actual.onError(new IndexOutOfBoundsException("a request for one answer got more of them"));
        }
    }

    @Override
    public void onError(Throwable error) {
        discard();
        actual.onError(error instanceof StreamErrorException said
                ? UcxRequestException.of(said.code(), String.valueOf(said.getMessage()))
                : error);
    }

    @Override
    public void onComplete() {
        Object answer = VALUE.getAndSet(this, NOTHING);
        if (answer != NOTHING) {
            @SuppressWarnings("unchecked")
            T taken = (T) answer;
            actual.onNext(taken);
        }
        actual.onComplete();
    }
}
