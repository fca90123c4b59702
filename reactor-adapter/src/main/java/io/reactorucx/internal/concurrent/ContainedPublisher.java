package io.reactorucx.internal.concurrent;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * A publisher of the application. What it throws at a subscription, a request or a cancel, errors of the JVM too, is
 * signalled and not thrown, but for a lack of memory, and its errors are such that no operator behind throws them.
 *
 * <p>Thread: that of the application's publisher.
 */
public final class ContainedPublisher<T> extends Flux<T> {

    private static final Logger LOG = LoggerFactory.getLogger(ContainedPublisher.class);

    private final Publisher<? extends T> source;

    public ContainedPublisher(Publisher<? extends T> source) {
        this.source = source;
    }

    /**
     * Returns what the application returns when it is called, which happens at each subscription.
     *
     * @param name of what is called, for the message of a null
     */
    public static <T> Flux<T> calling(String name, Supplier<? extends Publisher<? extends T>> call) {
        return new ContainedPublisher<>(Flux.<T>defer(() ->
                Flux.from(Objects.requireNonNull(call.get(), () -> name + " returned null"))));
    }

    @Override
    public void subscribe(CoreSubscriber<? super T> actual) {
        Contained<T> contained = new Contained<>(actual);
        try {
            source.subscribe(contained);
        } catch (Throwable t) {
            contained.thrown(t);
        }
    }

    private static final class Contained<T> implements CoreSubscriber<T>, Subscription {

        private final CoreSubscriber<? super T> actual;
        private final AtomicBoolean ended = new AtomicBoolean();
        private volatile @Nullable Subscription upstream;

        Contained(CoreSubscriber<? super T> actual) {
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
            if (upstream == null) {
                thrown(ApplicationErrors.notSubscribed(null));
            }
            if (ended.get()) {
                Operators.onDiscard(value, currentContext());
            } else {
                actual.onNext(value);
            }
        }

        @Override
        public void onError(Throwable error) {
            if (upstream == null) {
                thrown(ApplicationErrors.notSubscribed(error));
            } else if (ended.compareAndSet(false, true)) {
                actual.onError(ApplicationErrors.signal(error));
            } else {
                Operators.onErrorDropped(error, currentContext());
            }
        }

        @Override
        public void onComplete() {
            if (upstream == null) {
                thrown(ApplicationErrors.notSubscribed(null));
            } else if (ended.compareAndSet(false, true)) {
                actual.onComplete();
            }
        }

        @Override
        public void request(long n) {
            Subscription source = upstream;
            try {
                if (source != null) {
                    source.request(n);
                }
            } catch (Throwable t) {
                thrown(t);
            }
        }

        @Override
        public void cancel() {
            Subscription source = upstream;
            try {
                if (source != null) {
                    source.cancel();
                }
            } catch (Throwable t) {
                ApplicationErrors.rethrowIfOutOfMemory(t);
                LOG.warn("a publisher of the application threw at its cancel", ApplicationErrors.printable(t));
            }
        }

        void thrown(Throwable thrown) {
            ApplicationErrors.rethrowIfOutOfMemory(thrown);
            if (upstream == null) {
                // An operator may subscribe in vain; it takes the error all the same.
                upstream = Operators.emptySubscription();
                actual.onSubscribe(this);
            } else {
                cancel();
            }
            if (ended.compareAndSet(false, true)) {
                actual.onError(ApplicationErrors.signal(thrown));
            } else {
                LOG.warn("a publisher of the application threw after its end", ApplicationErrors.printable(thrown));
            }
        }
    }
}
