package io.reactorucx.internal.concurrent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscriber;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;

class UncancelledMonoTest {

    private final Disposable value = Disposables.single();

    /** Takes what comes, although it has cancelled. */
    private static final class Taking extends BaseSubscriber<Disposable> {

        private final List<Disposable> taken = new ArrayList<>();

        @Override
        protected void hookOnNext(Disposable next) {
            taken.add(next);
        }
    }

    @Test
    void aValueThatComesAfterACancelIsDisposedOf() {
        AtomicReference<Subscriber<? super Disposable>> source = new AtomicReference<>();
        Taking subscriber = new Taking();
        new UncancelledMono<>(Mono.<Disposable>fromDirect(next -> {
            source.set(next);
            next.onSubscribe(Operators.emptySubscription());
        })).subscribe(subscriber);

        subscriber.cancel();
        source.get().onNext(value); // as of an operator whose value is under way

        assertThat(value.isDisposed()).isTrue();
        assertThat(subscriber.taken).isEmpty();
    }

    @Test
    void aSubscriberThatCancelsWhileItTakesTheValueKeepsIt() {
        assertThat(new UncancelledMono<>(Mono.just(value)).flux().take(1).blockFirst()).isSameAs(value);
        assertThat(value.isDisposed()).isFalse();
    }
}
