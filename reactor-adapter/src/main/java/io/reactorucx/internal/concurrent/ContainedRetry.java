package io.reactorucx.internal.concurrent;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;
import reactor.core.publisher.Sinks;
import reactor.util.context.Context;
import reactor.util.retry.Retry;

/**
 * A {@link Retry} of the application. What it throws, errors of the JVM too, ends the retries with that error, but for
 * a lack of memory.
 *
 * <p>Thread: that on which the attempts fail.
 */
public final class ContainedRetry extends Retry {

    private final Retry retry;

    public ContainedRetry(Retry retry) {
        super(retry.retryContext());
        this.retry = retry;
    }

    @Override
    public Publisher<?> generateCompanion(Flux<RetrySignal> signals) {
        Sinks.Empty<Object> thrown = Sinks.empty();
        return ContainedPublisher.calling("the Retry", () -> retry.generateCompanion(signals.transform(each ->
                new Attempts(each, thrown)))).takeUntilOther(thrown.asMono());
    }

    /** The failures of attempts, for operators of the application, which throw where they are told of one. */
    private static final class Attempts extends Flux<RetrySignal> {

        private final Flux<RetrySignal> signals;
        private final Sinks.Empty<Object> thrown;

        Attempts(Flux<RetrySignal> signals, Sinks.Empty<Object> thrown) {
            this.signals = signals;
            this.thrown = thrown;
        }

        @Override
        public void subscribe(CoreSubscriber<? super RetrySignal> actual) {
            signals.subscribe(new Guard(actual, thrown));
        }
    }

    private static final class Guard implements CoreSubscriber<RetrySignal> {

        private final CoreSubscriber<? super RetrySignal> actual;
        private final Sinks.Empty<Object> thrown;
        private @Nullable Subscription upstream;

        Guard(CoreSubscriber<? super RetrySignal> actual, Sinks.Empty<Object> thrown) {
            this.actual = actual;
            this.thrown = thrown;
        }

        @Override
        public Context currentContext() {
            return actual.currentContext();
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            if (Operators.validate(upstream, subscription)) {
                upstream = subscription;
                actual.onSubscribe(subscription);
            }
        }

        @Override
        public void onNext(RetrySignal signal) {
            try {
                actual.onNext(signal);
            } catch (Throwable t) {
                ApplicationErrors.rethrowIfOutOfMemory(t);
                thrown.tryEmitError(ApplicationErrors.signal(t));
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
    }
}
