package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.testsupport.NoLeaks;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.opentest4j.TestAbortedException;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import reactor.core.publisher.Flux;

/** The rules find a publisher that breaks one: a check that finds no planted fault checks nothing. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class PlantedFaultTest implements NeedsUcx {

    /** How a publisher breaks a rule, and which of the TCK's finds it. */
    enum Fault {
        NONE(""),
        MORE_THAN_WAS_ASKED_FOR("required_spec101_subscriptionRequestMustResultInTheCorrectNumberOfProducedElements"),
        SIGNAL_AFTER_THE_END("required_spec107_mustNotEmitFurtherSignalsOnceOnCompleteHasBeenSignalled"),
        TAKES_NO_SUBSCRIBER("required_spec109_mustIssueOnSubscribeForNonNullSubscriber");

        private final String rule;

        Fault(String rule) {
            this.rule = rule;
        }
    }

    /** Hands the signals of a good publisher on, and one that is none. */
    private record Bad(Fault fault, Subscriber<? super Integer> actual) implements Subscriber<Integer> {

        @Override
        public void onSubscribe(Subscription subscription) {
            if (fault != Fault.TAKES_NO_SUBSCRIBER) {
                actual.onSubscribe(subscription);
            }
        }

        @Override
        public void onNext(Integer element) {
            actual.onNext(element);
            if (fault == Fault.MORE_THAN_WAS_ASKED_FOR) {
                actual.onNext(-element);
            }
        }

        @Override
        public void onError(Throwable cause) {
            actual.onError(cause);
        }

        @Override
        public void onComplete() {
            actual.onComplete();
            if (fault == Fault.SIGNAL_AFTER_THE_END) {
                actual.onComplete();
            }
        }
    }

    /** The rules as every publisher of this library has to keep them. */
    private static final class Planted extends PublisherRules<Integer> {

        private final Fault fault;

        Planted(Fault fault) {
            this.fault = fault;
        }

        @Override
        long patienceMillis() {
            return fault == Fault.NONE ? super.patienceMillis() : 50;
        }

        @Override
        Publisher<Integer> publisher(long elements) {
            Flux<Integer> good = Flux.range(1, (int) Math.min(elements, MAX_SENT));
            return fault == Fault.NONE ? good : actual -> good.subscribe(new Bad(fault, actual));
        }
    }

    @ParameterizedTest
    @EnumSource
    void isFound(Fault fault) throws Throwable {
        Planted rules = new Planted(fault);
        rules.connect();
        List<String> broken = new ArrayList<>();
        try {
            for (DynamicTest rule : rules.rules()) {
                try {
                    rule.getExecutable().execute();
                } catch (AssertionError e) {
                    broken.add(rule.getDisplayName());
                } catch (TestAbortedException e) {
                    assertThat(rule.getDisplayName()).isEqualTo("skipped");
                }
            }
        } finally {
            rules.disconnect();
        }
        if (fault == Fault.NONE) {
            assertThat(broken).isEmpty();
        } else {
            assertThat(broken).contains(fault.rule);
        }
    }
}
