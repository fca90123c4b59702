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
 * One subscription to a Flux that an error may end that comes from elsewhere, on any thread. A lease that meets it on
 * its way is released: {@link Flux#takeUntilOther} and {@link Flux#timeout} would leave that to a hook of the
 * application.
 */
public final class DeadlineOperator<T> extends Operators.DeferredSubscription implements CoreSubscriber<T> {

    private enum State { IDLE, EMITTING, OVER }

    /** How it ends once the signal that is on its way has been taken. */
    private record End(@Nullable Throwable error) {
    }

    private final CoreSubscriber<? super T> actual;
    private final Disposable.Swap reason = Disposables.swap();
    /** A {@link State}, or the {@link End} that follows what is being emitted. */
    private final AtomicReference<Object> state = new AtomicReference<>(State.IDLE);

    private DeadlineOperator(CoreSubscriber<? super T> actual) {
        this.actual = actual;
    }

    /** Cancels the source when the reason comes, and ends with that. */
    static <T> Flux<T> of(Flux<T> source, Mono<? extends Throwable> reason) {
        return new Flux<>() {
            @Override
            public void subscribe(CoreSubscriber<? super T> actual) {
                DeadlineOperator<T> interruption = new DeadlineOperator<>(actual);
                actual.onSubscribe(interruption);
                interruption.reason.update(reason.contextWrite(actual.currentContext())
                        .subscribe(interruption::interrupt,
                        interruption::interrupt));
                source.subscribe(interruption);
            }
        };
    }

    /** Cancels the source when it takes longer as a whole. */
    public static <T> Flux<T> late(Flux<T> source, int millis) {
        return millis == 0 ? source : of(source, Mono.delay(Duration.ofMillis(millis))
                .map(tick -> new UcxRequestException(Reason.DEADLINE,
                "no end of the answer within " + millis + " ms")));
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
                // Signals come one after the other: this is the source's answer to a request from within the one
                // before.
                actual.onNext(value);
            } else {
                UcxBuffer.discard(value);
            }
            return;
        }
        try {
            actual.onNext(value);
        } finally {
            if (!state.compareAndSet(State.EMITTING, State.IDLE) && state.getAndSet(State.OVER) instanceof End end) {
                signal(end.error);
            }
        }
    }

    @Override
    public void onError(Throwable error) {
        // Too late it is the source's answer to its cancel, as a rule: both sides end an exchange at its deadline.
        end(error, () -> { });
    }

    @Override
    public void onComplete() {
        end(null, () -> { });
    }

    private void interrupt(Throwable why) {
        end(why, super::cancel);
    }

    /** Ends it now, or after the signal that is on its way; answers whether it has not ended otherwise. */
    private boolean end(@Nullable Throwable error, Runnable first) {
        for (Object now = state.get(); now == State.IDLE || now == State.EMITTING; now = state.get()) {
            if (state.compareAndSet(now, now == State.IDLE ? State.OVER : new End(error))) {
                reason.dispose();
                first.run();
                if (now == State.IDLE) {
                    signal(error);
                }
                return true;
            }
        }
        return false;
    }

    private void signal(@Nullable Throwable error) {
        if (error == null) {
            actual.onComplete();
        } else {
            actual.onError(error);
        }
    }

    @Override
    public void cancel() {
        state.set(State.OVER);
        reason.dispose();
        super.cancel();
    }
}
