package io.reactorucx;

import io.reactorucx.RequestHead.Answer;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.core.UcxClosedException;
import io.reactorucx.engine.Command;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;

/**
 * One subscription to the answer of a small request without a deadline: what {@link Request} makes of operators, in one object.
 *
 * <p>The subscriber's calls come on any thread, all else on the engine's. An answer waits here for the end of its stream, and is released
 * when that is an error, or nobody wants it any more.
 */
final class SingleAnswer<T> implements CoreSubscriber<T>, Subscription, Command {

    @SuppressWarnings("rawtypes")
    private static final AtomicReferenceFieldUpdater<SingleAnswer, Object> VALUE =
            AtomicReferenceFieldUpdater.newUpdater(SingleAnswer.class, Object.class, "value");
    private static final Object NOTHING = new Object();

    private final MessageMux mux;
    /** A lease or an array. */
    private final Object request;
    private final MessageDecoder<T> decoder;
    private final CoreSubscriber<? super T> actual;
    private volatile @Nullable MessageReceiver<T> receiver;
    private volatile long requested;
    private volatile boolean cancelled;
    /** The answer, until somebody takes it. */
    private volatile Object value = NOTHING;
    private boolean over;

    private SingleAnswer(MessageMux mux, Object request, MessageDecoder<T> decoder, CoreSubscriber<? super T> actual) {
        this.mux = mux;
        this.request = request;
        this.decoder = decoder;
        this.actual = actual;
    }

    static <T> Mono<T> mono(MessageMux mux, Object request, MessageDecoder<T> decoder) {
        return new Mono<>() {
            @Override
            public void subscribe(CoreSubscriber<? super T> actual) {
                SingleAnswer<T> answer = new SingleAnswer<>(mux, request, decoder, actual);
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
        LogicalStream stream;
        try {
            byte[] bytes = request instanceof UcxBuffer lease ? lease.toByteArray() : (byte[]) request;
            stream = mux.streams().open(new RequestHead(Answer.ONE, false, 0, bytes).toBytes());
        } catch (RuntimeException e) {
            release();
            if (!cancelled) {
                actual.onError(e);
            }
            return;
        }
        release();
        stream.complete();
        MessageReceiver<T> opened = new MessageReceiver<>(stream.input(), decoder, this);
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
            InsistentCommand.again(mux.connection().engine(), this);
        }
    }

    @Override
    public void request(long n) {
        // A second answer would be one too many, and has to be seen; 0 stands for nothing asked yet.
        long all = n > 0 && requested >= 0 ? Long.MAX_VALUE : Math.min(n, -1);
        requested = all;
        MessageReceiver<T> opened = receiver;
        if (opened != null) {
            opened.request(all);
        }
    }

    @Override
    public void cancel() {
        cancelled = true;
        discard();
        MessageReceiver<T> opened = receiver;
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
        MessageReceiver<T> opened = receiver;
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
        actual.onError(error instanceof StreamErrorException said ? UcxRequestException.of(said.code(), String.valueOf(said.getMessage()))
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
