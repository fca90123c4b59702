package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.internal.request.DeadlineOperator;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
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
}
