package io.reactorucx.rsocket;

import io.netty.buffer.ByteBuf;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * Hands received frames to RSocket, which retains what it keeps, and tells the connection when no more come. After the
 * first message that is no frame, and after RSocket has closed the connection, RSocket gets none.
 *
 * <p>Thread: engine.
 */
final class FrameReceiver implements CoreSubscriber<ByteBuf>, Subscription {

    private final UcxDuplexConnection connection;
    private final CoreSubscriber<? super ByteBuf> subscriber;
    private @Nullable Subscription upstream;
    private volatile boolean ended;
    private volatile @Nullable Thread thread;

    FrameReceiver(UcxDuplexConnection connection, CoreSubscriber<? super ByteBuf> subscriber) {
        this.connection = connection;
        this.subscriber = subscriber;
    }

    @Override
    public Context currentContext() {
        return subscriber.currentContext();
    }

    @Override
    public void onSubscribe(Subscription subscription) {
        if (Operators.validate(upstream, subscription)) {
            upstream = subscription;
            subscriber.onSubscribe(this);
        }
    }

    /** Returns whether the caller is the thread on which frames come. */
    boolean isOnItsThread() {
        return Thread.currentThread() == thread;
    }

    @Override
    public void onNext(ByteBuf frame) {
        if (thread == null) {
            thread = Thread.currentThread();
        }
        if (connection.accepts(frame)) {
            deliver(frame);
        } else {
            frame.release();
        }
    }

    private void deliver(ByteBuf frame) {
        try {
            subscriber.onNext(frame);
        } finally {
            frame.release();
        }
    }

    /** Hands out a frame with which this side tells RSocket why the connection ends; it takes the frame. */
    void fail(ByteBuf error) {
        if (ended) {
            error.release();
        } else {
            deliver(error);
        }
    }

    @Override
    public void onError(Throwable error) {
        ended = true;
        Throwable end = connection.received(error);
        if (end == null) {
            subscriber.onComplete();
        } else {
            subscriber.onError(end);
        }
    }

    @Override
    public void onComplete() {
        ended = true;
        connection.received(null);
        subscriber.onComplete();
    }

    @Override
    public void request(long n) {
        Objects.requireNonNull(upstream).request(n);
    }

    @Override
    public void cancel() {
        ended = true;
        Objects.requireNonNull(upstream).cancel();
        connection.receiverLeft();
    }
}
