package io.reactorucx.internal.concurrent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscriber;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.core.publisher.Sinks;
import reactor.util.context.Context;

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
        of(source).subscribe(subscriber);

        subscriber.cancel();
        source.get().onNext(value); // as of an operator whose value is under way

        assertThat(value.isDisposed()).isTrue();
        assertThat(subscriber.taken).isEmpty();
    }

    @Test
    void aSubscriberThatCancelsWhileItTakesTheValueKeepsIt() {
        assertThat(new UncancelledMono<>(Mono.just(value), Disposable::dispose).flux().take(1).blockFirst())
                .isSameAs(value);
        assertThat(value.isDisposed()).isFalse();
    }

    @Test
    void aValueThatItsSubscriberDropsBecauseItHasCancelledMeanwhileIsDisposedOf() {
        Disposable.Swap subscription = Disposables.swap();
        AtomicReference<Subscriber<? super Disposable>> source = new AtomicReference<>();
        List<Disposable> taken = new ArrayList<>();
        // It cancels behind the look at that, and in front of the subscriber's own.
        subscription.update(of(source).doOnNext(next -> subscription.dispose()).subscribe(taken::add));

        source.get().onNext(value);

        assertThat(taken).isEmpty();
        assertThat(value.isDisposed()).isTrue();
    }

    @Test
    void aValueThatIsDroppedBeforeTheCancelComesIsDisposedOfThen() {
        AtomicReference<Subscriber<? super Disposable>> source = new AtomicReference<>();
        // As of a subscriber whose thread has not come from its own state to the cancel yet.
        BaseSubscriber<Disposable> dropping = new BaseSubscriber<>() {
            @Override
            protected void hookOnNext(Disposable next) {
                Operators.onNextDropped(next, currentContext());
            }
        };
        of(source).subscribe(dropping);
        source.get().onNext(value);
        assertThat(value.isDisposed()).as("dropped by one of several subscribers").isFalse();

        dropping.cancel();

        assertThat(value.isDisposed()).isTrue();
    }

    @Test
    void aSubscriberThatCancelsAfterItHasTakenTheValueKeepsIt() {
        AtomicReference<Subscriber<? super Disposable>> source = new AtomicReference<>();
        Taking subscriber = new Taking();
        of(source).subscribe(subscriber);

        source.get().onNext(value);
        subscriber.cancel();
        Operators.onNextDropped(value, Context.empty());

        assertThat(value.isDisposed()).isFalse();
    }

    @Test
    void aSourceThatCannotBeAbortedGoesOnAndItsValueIsDisposedOf() {
        Sinks.One<Disposable> made = Sinks.one();
        Taking subscriber = new Taking();
        AtomicInteger cancels = new AtomicInteger();
        UncancelledMono.ofUnabortable(made.asMono().doOnCancel(cancels::incrementAndGet), Disposable::dispose)
                .subscribe(subscriber);

        subscriber.cancel();
        made.tryEmitValue(value);

        assertThat(cancels).hasValue(0);
        assertThat(value.isDisposed()).isTrue();
    }

    private static Mono<Disposable> of(AtomicReference<Subscriber<? super Disposable>> source) {
        UncancelledMono.installHook(); // which another test of this process may have reset
        return new UncancelledMono<>(Mono.<Disposable>fromDirect(next -> {
            source.set(next);
            next.onSubscribe(Operators.emptySubscription());
        }), Disposable::dispose);
    }
}
