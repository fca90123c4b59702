package io.reactorucx.internal.request;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.message.UcxRequestException;
import io.reactorucx.message.UcxRequestException.Reason;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * Ends a Flux with an error from elsewhere, such as its deadline, on any thread. A lease that is emitted at the same
 * moment is released: {@link Flux#takeUntilOther} and {@link Flux#timeout} leave that to a hook of the application.
 */
public final class DeadlineOperator<T> extends Operators.DeferredSubscription implements CoreSubscriber<T> {

    private enum State { IDLE, EMITTING, ENDED }

    /** The end that follows when onNext returns. */
    private record DeferredEnd(@Nullable Throwable error) {
    }

    private final CoreSubscriber<? super T> actual;
    private final Disposable.Swap interruption = Disposables.swap();
    /** A {@link State}, or the {@link DeferredEnd} that follows what is being emitted. */
    private final AtomicReference<Object> state = new AtomicReference<>(State.IDLE);

    private DeadlineOperator(CoreSubscriber<? super T> actual) {
        this.actual = actual;
    }

    /** Ends a source with the error that the Mono emits, or fails with, and cancels it. */
    static <T> Flux<T> interrupted(Flux<T> source, Mono<? extends Throwable> error) {
        return new Flux<>() {
            @Override
            public void subscribe(CoreSubscriber<? super T> actual) {
                DeadlineOperator<T> operator = new DeadlineOperator<>(actual);
                actual.onSubscribe(operator);
                operator.interruption.update(error.contextWrite(actual.currentContext())
                        .subscribe(operator::interrupt, operator::interrupt));
                source.subscribe(operator);
            }
        };
    }

    /** Limits how long a source takes to its end; 0 is no limit. */
    public static <T> Flux<T> withDeadline(Flux<T> source, int millis) {
        return millis == 0 ? source : interrupted(source, Mono.delay(Duration.ofMillis(millis))
                .map(tick -> new UcxRequestException(Reason.DEADLINE, message(millis))));
    }

    static String message(int millis) {
        return "the response has not ended within " + millis + " ms";
    }

    @Override
    public Context currentContext() {
        return actual.currentContext();
    }

    @Override
    public void onSubscribe(Subscription upstream) {
        set(upstream);
    }

    @Override
    public void onNext(T value) {
        if (!state.compareAndSet(State.IDLE, State.EMITTING)) {
            if (state.get() == State.EMITTING) {
                // Signals are serialized: the source emits this one within the subscriber's request from onNext.
                actual.onNext(value);
            } else {
                UcxBuffer.discard(value);
            }
            return;
        }
        try {
            actual.onNext(value);
        } finally {
            if (!state.compareAndSet(State.EMITTING, State.IDLE)
                    && state.getAndSet(State.ENDED) instanceof DeferredEnd end) {
                signal(end.error);
            }
        }
    }

    @Override
    public void onError(Throwable error) {
        // Ignored after the end: the peer's own end at the deadline, or the source's reaction to the cancel.
        end(error, () -> { });
    }

    @Override
    public void onComplete() {
        end(null, () -> { });
    }

    private void interrupt(Throwable error) {
        end(error, super::cancel);
    }

    /** Ends now, or when onNext returns, unless the end has come before. */
    private void end(@Nullable Throwable error, Runnable first) {
        for (Object now = state.get(); now == State.IDLE || now == State.EMITTING; now = state.get()) {
            if (state.compareAndSet(now, now == State.IDLE ? State.ENDED : new DeferredEnd(error))) {
                interruption.dispose();
                first.run();
                if (now == State.IDLE) {
                    signal(error);
                }
                return;
            }
        }
    }

    private void signal(@Nullable Throwable error) {
        if (error == null) {
            actual.onComplete();
        } else {
            actual.onError(error);
        }
    }

    /** Fails at a bad request itself: before the source is there, Reactor would take it as an unbounded one. */
    @Override
    public void request(long n) {
        if (n <= 0) {
            interrupt(new IllegalArgumentException("request of " + n
                    + ": must be at least 1 (rule 3.9 of Reactive Streams)"));
        } else {
            super.request(n);
        }
    }

    @Override
    public void cancel() {
        state.set(State.ENDED);
        interruption.dispose();
        super.cancel();
    }
}
