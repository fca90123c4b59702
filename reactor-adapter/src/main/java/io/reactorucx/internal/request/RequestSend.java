package io.reactorucx.internal.request;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.util.context.Context;

/** Subscribes to the sending of a large request, which need not go on once there is a response or a cancel. */
final class RequestSend implements CoreSubscriber<Void> {

    private final Consumer<Throwable> whenFailed;
    private volatile @Nullable Subscription sending;
    private volatile boolean cancelled;

    RequestSend(Consumer<Throwable> whenFailed) {
        this.whenFailed = whenFailed;
    }

    /** Thread: any. */
    void cancel() {
        cancelled = true;
        Subscription begun = sending;
        if (begun != null) {
            begun.cancel();
        }
    }

    @Override
    public Context currentContext() {
        return ResponseSubscriber.RELEASING;
    }

    @Override
    public void onSubscribe(Subscription subscription) {
        sending = subscription;
        if (cancelled) {
            subscription.cancel();
        }
    }

    @Override
    public void onNext(Void nothing) {
        // A send emits nothing.
    }

    @Override
    public void onError(Throwable error) {
        whenFailed.accept(error);
    }

    @Override
    public void onComplete() {
        // The response follows.
    }
}
