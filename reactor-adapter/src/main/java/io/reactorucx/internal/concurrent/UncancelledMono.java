package io.reactorucx.internal.concurrent;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoOperator;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * Disposes of its source's value when the subscriber has cancelled before the value comes: Reactor's own operators pass
 * on a value that is under way, and a subscriber that is gone drops it. A subscriber that cancels while it takes the
 * value keeps it.
 *
 * <p>Threading: that of the source; cancel by any thread.
 */
public final class UncancelledMono<T extends Disposable> extends MonoOperator<T, T> {

    public UncancelledMono(Mono<? extends T> source) {
        super(source);
    }

    @Override
    public void subscribe(CoreSubscriber<? super T> actual) {
        source.subscribe(new Link<>(actual));
    }

    private static final class Link<T extends Disposable> implements CoreSubscriber<T>, Subscription {

        private final CoreSubscriber<? super T> actual;
        private @Nullable Subscription upstream;
        private volatile boolean cancelled;

        Link(CoreSubscriber<? super T> actual) {
            this.actual = actual;
        }

        @Override
        public Context currentContext() {
            return actual.currentContext();
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            if (Operators.validate(upstream, subscription)) {
                upstream = subscription;
                actual.onSubscribe(this);
            }
        }

        @Override
        public void onNext(T value) {
            if (cancelled) {
                value.dispose();
            } else {
                actual.onNext(value);
            }
        }

        @Override
        public void onError(Throwable error) {
            actual.onError(error);
        }

        @Override
        public void onComplete() {
            actual.onComplete();
        }

        @Override
        public void request(long count) {
            Objects.requireNonNull(upstream).request(count);
        }

        @Override
        public void cancel() {
            cancelled = true;
            Objects.requireNonNull(upstream).cancel();
        }
    }
}
