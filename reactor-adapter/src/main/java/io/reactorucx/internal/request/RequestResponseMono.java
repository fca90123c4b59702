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
import io.reactorucx.internal.message.MessageStreams;
import io.reactorucx.internal.message.ReceiveSubscription;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;

/**
 * One subscription to the response of a small request without a deadline. It does in one object what
 * {@link RequestExchange} composes from operators.
 *
 * <p>The response waits here for the end of its stream. It is released if that end is an error, or if the subscriber
 * cancels.
 *
 * <p>Thread: {@link #request} and {@link #cancel} any, everything else the engine's.
 */
final class RequestResponseMono<T> implements CoreSubscriber<T>, Subscription, Command, MessageStreams.Opening {

    @SuppressWarnings("rawtypes")
    private static final AtomicReferenceFieldUpdater<RequestResponseMono, Object> VALUE =
            AtomicReferenceFieldUpdater.newUpdater(RequestResponseMono.class, Object.class, "value");
    private static final Object NONE = new Object();

    private final MessageMultiplexer mux;
    /** A lease or an array. */
    private final Object request;
    private final MessageDecoder<T> decoder;
    private final CoreSubscriber<? super T> actual;
    private volatile @Nullable ReceiveSubscription<T> receiver;
    private volatile long requested;
    private volatile boolean cancelled;
    private volatile boolean waiting;
    /** The response, until it is emitted or released. */
    private volatile Object value = NONE;
    private boolean failed;

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
                RequestResponseMono<T> subscription = new RequestResponseMono<>(mux, request, decoder, actual);
                actual.onSubscribe(subscription);
                mux.connection().engine().execute(subscription);
            }
        };
    }

    @Override
    public void run(UcpWorker worker) {
        // The request, its end and the subscriber's demand share a batch.
        mux.within(this::begin);
    }

    private void begin() {
        if (cancelled) {
            release();
        } else if (mux.streams().request(this)) {
            waiting = true;
            if (cancelled) {
                forget();
            }
        }
    }

    /** The subscriber has cancelled while this waited for the peer to take another request. */
    private void forget() {
        if (mux.streams().forget(this)) {
            release();
        }
    }

    @Override
    public void open() {
        if (cancelled) {
            release();
            return;
        }
        MessageStream stream;
        try {
            byte[] bytes = request instanceof UcxBuffer lease ? lease.toByteArray() : (byte[]) request;
            stream = mux.streams().open(new RequestHeader(Answer.ONE, false, 0, bytes).toBytes());
        } catch (RuntimeException e) {
            refused(e);
            return;
        }
        release();
        stream.complete();
        ReceiveSubscription<T> opened = new ReceiveSubscription<>(stream.input(), decoder, this);
        stream.input().add(opened);
        // Before the checks of cancelled and requested: the subscriber's later calls go to the receiver.
        receiver = opened;
        if (cancelled) {
            opened.cancel();
        } else if (requested != 0) {
            opened.request(requested);
        }
    }

    @Override
    public void refused(RuntimeException error) {
        release();
        if (!cancelled) {
            actual.onError(error);
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
            refused(cause);
        } else {
            RetryingCommand.retry(mux.connection().engine(), this);
        }
    }

    @Override
    public void request(long n) {
        // Unbounded, so that a second response is seen, which is an error; 0 stands for nothing requested yet.
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
        } else if (waiting) {
            mux.execute(this::forget);
        }
    }

    private void discard() {
        if (VALUE.getAndSet(this, NONE) instanceof UcxBuffer lease) {
            lease.dispose();
        }
    }

    @Override
    public void onSubscribe(Subscription subscription) {
        // No-op: the subscription is the ReceiveSubscription created in open().
    }

    @Override
    public void onNext(T response) {
        if (failed || value != NONE) {
            UcxBuffer.discard(response);
            tooMany();
            return;
        }
        value = response;
        if (cancelled) {
            discard();
        }
    }

    /** Fails with the second response: the peer may send any number of them without an end. */
    private void tooMany() {
        ReceiveSubscription<T> opened = receiver;
        if (!failed && opened != null) {
            failed = true;
            discard();
            opened.cancel();
            actual.onError(new IndexOutOfBoundsException("a request for one response got more of them"));
        }
    }

    @Override
    public void onError(Throwable error) {
        discard();
        actual.onError(error instanceof StreamErrorException sent ? RequestErrors.exception(sent) : error);
    }

    @Override
    public void onComplete() {
        Object response = VALUE.getAndSet(this, NONE);
        if (response != NONE) {
            @SuppressWarnings("unchecked")
            T taken = (T) response;
            actual.onNext(taken);
        }
        actual.onComplete();
    }
}
