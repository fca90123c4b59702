package io.reactorucx.rsocket;

import io.netty.buffer.ByteBuf;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * Hands received frames to RSocket, which retains what it keeps, and tells the connection when no more come.
 *
 * <p>Thread: engine.
 */
final class FrameReceiver implements CoreSubscriber<ByteBuf>, Subscription {

    private final UcxDuplexConnection connection;
    private final CoreSubscriber<? super ByteBuf> subscriber;
    private @Nullable Subscription upstream;

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

    @Override
    public void onNext(ByteBuf frame) {
        try {
            subscriber.onNext(frame);
        } finally {
            frame.release();
        }
    }

    @Override
    public void onError(Throwable error) {
        Throwable end = connection.received(error);
        if (end == null) {
            subscriber.onComplete();
        } else {
            subscriber.onError(end);
        }
    }

    @Override
    public void onComplete() {
        connection.received(null);
        subscriber.onComplete();
    }

    @Override
    public void request(long n) {
        Objects.requireNonNull(upstream).request(n);
    }

    @Override
    public void cancel() {
        Objects.requireNonNull(upstream).cancel();
        connection.receiverLeft();
    }
}
