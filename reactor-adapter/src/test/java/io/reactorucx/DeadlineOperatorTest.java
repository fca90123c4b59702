package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.internal.request.DeadlineOperator;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;

/** A deadline that has not passed changes nothing. */
class DeadlineOperatorTest {

    /** Emits from within {@code request}, as Reactive Streams allows. */
    private static Publisher<Integer> six() {
        return subscriber -> subscriber.onSubscribe(new Subscription() {
            private int next;

            @Override
            public void request(long n) {
                for (long i = 0; i < n && next < 6; i++) {
                    subscriber.onNext(next++);
                }
                if (next == 6) {
                    next++;
                    subscriber.onComplete();
                }
            }

            @Override
            public void cancel() {
            }
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 60_000})
    void valuesEmittedFromWithinRequestPass(int millis) {
        List<Integer> got = new ArrayList<>();
        List<String> ends = new ArrayList<>();
        BaseSubscriber<Integer> subscriber = new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
            }

            @Override
            protected void hookOnNext(Integer value) {
                got.add(value);
                request(1);
            }

            @Override
            protected void hookOnComplete() {
                ends.add("complete");
            }
        };
        DeadlineOperator.withDeadline(Flux.from(six()), millis).subscribe(subscriber);

        subscriber.request(1);

        assertThat(got).containsExactly(0, 1, 2, 3, 4, 5);
        assertThat(ends).containsExactly("complete");
    }

    /** Hands its subscription out, which Reactor's own subscribers check. */
    private record Unchecked(Consumer<Subscription> subscribed, List<Object> signals)
            implements CoreSubscriber<Integer> {

        @Override
        public void onSubscribe(Subscription subscription) {
            subscribed.accept(subscription);
        }

        @Override
        public void onNext(Integer value) {
            signals.add(value);
        }

        @Override
        public void onError(Throwable error) {
            signals.add(error);
        }

        @Override
        public void onComplete() {
            signals.add("complete");
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE})
    void aBadRequestBeforeTheSourceIsThereFails(long n) {
        List<Object> signals = new ArrayList<>();

        DeadlineOperator.withDeadline(Flux.from(six()), 60_000)
                .subscribe(new Unchecked(subscription -> subscription.request(n), signals));

        assertFailedByRule39(signals, n);
    }

    @Test
    void aBadRequestOfARunningSourceFailsAndCancelsIt() {
        List<Object> signals = new ArrayList<>();
        AtomicReference<Subscription> subscription = new AtomicReference<>();
        List<String> cancels = new ArrayList<>();
        DeadlineOperator.withDeadline(Flux.from(six()).doOnCancel(() -> cancels.add("cancelled")), 60_000)
                .subscribe(new Unchecked(subscription::set, signals));

        subscription.get().request(0);
        subscription.get().request(6);

        assertFailedByRule39(signals, 0);
        assertThat(cancels).containsExactly("cancelled");
    }

    private static void assertFailedByRule39(List<Object> signals, long n) {
        assertThat(signals).singleElement().isInstanceOfSatisfying(IllegalArgumentException.class, error ->
                assertThat(error).hasMessageContaining("request of " + n).hasMessageContaining("3.9"));
    }
}
