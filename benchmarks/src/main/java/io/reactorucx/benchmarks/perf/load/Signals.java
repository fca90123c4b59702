package io.reactorucx.benchmarks.perf.load;

import java.util.function.Consumer;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;

/** A subscriber with unbounded demand that is reused for one subscription after the other, so that none allocates. */
public abstract class Signals<T> implements CoreSubscriber<T> {

    private final Consumer<Throwable> whenFailed;

    public Signals(Consumer<Throwable> whenFailed) {
        this.whenFailed = whenFailed;
    }

    /** A subscriber that ignores everything but errors. */
    public static <T> Signals<T> ignored(Consumer<Throwable> whenFailed) {
        return new Signals<>(whenFailed) { };
    }

    @Override
    public final void onSubscribe(Subscription subscription) {
        subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(T value) {
    }

    @Override
    public final void onError(Throwable error) {
        whenFailed.accept(error);
    }

    @Override
    public void onComplete() {
    }
}
