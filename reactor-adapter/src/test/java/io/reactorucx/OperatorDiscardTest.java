package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.buffer.Discardable;
import io.reactorucx.buffer.UcxBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Which operators of Reactor lose the elements that they hold when they are cancelled, without a word to doOnDiscard:
 * the table of the guide's page on buffers.
 */
class OperatorDiscardTest {

    private static final int COUNT = 5;
    private static final Duration LONG = Duration.ofHours(1);

    /** Stands for a lease. */
    private static final class Element implements Discardable {

        private boolean released;

        @Override
        public void dispose() {
            released = true;
        }

        @Override
        public boolean isDisposed() {
            return released;
        }
    }

    private enum Operator {
        BUFFER(false, flux -> open(flux).buffer(100)),
        COLLECT_LIST(false, flux -> open(flux).collectList()),
        SORT(false, flux -> open(flux).sort((first, second) -> 0)),
        ZIP(false, flux -> flux.zipWith(Flux.never())),
        DELAY_ELEMENT(false, flux -> flux.next().delayElement(LONG)),
        DELAY_ELEMENTS(false, flux -> flux.delayElements(LONG)),
        DELAY_UNTIL(false, flux -> flux.delayUntil(element -> Mono.never())),
        ON_BACKPRESSURE_BUFFER(false, flux -> open(flux).onBackpressureBuffer(), 0),
        ON_BACKPRESSURE_LATEST(false, flux -> open(flux).onBackpressureLatest(), 0),
        LIMIT_RATE(false, flux -> open(flux).limitRate(4), 0),
        SKIP_LAST(false, flux -> open(flux).skipLast(100)),
        LAST(false, flux -> open(flux).last()),
        SINGLE(false, flux -> open(flux.take(1)).single()),
        FLAT_MAP(false, flux -> flux.flatMap(Mono::just), 0),
        MERGE(false, flux -> Flux.merge(flux, Flux.never()), 0),
        FILTER_WHEN(false, flux -> flux.filterWhen(element -> Mono.never())),

        PUBLISH_ON(true, (flux, busy) -> flux.publishOn(busy)),
        PUBLISH_ON_OF_A_MONO(true, (flux, busy) -> flux.next().publishOn(busy)),
        PARALLEL(true, (flux, busy) -> open(flux).parallel(1).runOn(busy).sequential()),
        DELAY_SEQUENCE(true, flux -> flux.delaySequence(LONG)),
        SAMPLE(true, flux -> open(flux).sample(LONG)),
        SAMPLE_TIMEOUT(true, flux -> open(flux).sampleTimeout(element -> Mono.never())),
        TAKE_LAST(true, flux -> open(flux).takeLast(3)),
        COMBINE_LATEST(true, flux -> Flux.combineLatest(flux, Flux.never(), (element, other) -> element)),
        WITH_LATEST_FROM(true, flux -> Flux.never().withLatestFrom(flux, (other, element) -> element)),
        MERGE_SEQUENTIAL(true, flux -> Flux.mergeSequential(Flux.never(), flux)),
        FLAT_MAP_SEQUENTIAL(true, flux -> Flux.just(0, 1).flatMapSequential(i -> i == 0 ? Flux.never() : flux)),
        ZIP_WHEN(true, flux -> flux.next().zipWhen(element -> Mono.never())),
        FILTER_WHEN_OF_A_MONO(true, flux -> flux.next().filterWhen(element -> Mono.never())),
        USING_WHEN_OF_A_MONO(true, flux -> Mono.usingWhen(Mono.just(1), one -> flux.next(), one -> Mono.never())),
        WINDOW(true, flux -> open(flux).window(100).concatMap(window -> Mono.never())),
        GROUP_BY(true, flux -> open(flux).groupBy(element -> 1).concatMap(group -> Mono.never())),
        SHARE(true, flux -> open(flux).share(), 0),
        REPLAY(true, flux -> open(flux).replay(COUNT).refCount(), 0),
        CACHE(true, flux -> open(flux).cache(), 0);

        private final boolean loses;
        private final Use use;
        private final long demand;

        Operator(boolean loses, Function<Flux<Element>, Publisher<?>> use) {
            this(loses, use, Long.MAX_VALUE);
        }

        Operator(boolean loses, Function<Flux<Element>, Publisher<?>> use, long demand) {
            this.loses = loses;
            this.use = (flux, busy) -> use.apply(flux);
            this.demand = demand;
        }

        Operator(boolean loses, Use use) {
            this.loses = loses;
            this.use = use;
            this.demand = Long.MAX_VALUE;
        }

        private static Flux<Element> open(Flux<Element> flux) {
            return flux.concatWith(Flux.never());
        }
    }

    @FunctionalInterface
    private interface Use {

        Publisher<?> of(Flux<Element> flux, Scheduler busy);
    }

    @ParameterizedTest
    @EnumSource
    void operatorLosesWhatItHoldsAsTheGuideSays(Operator operator) {
        List<Runnable> waiting = new ArrayList<>();
        List<Element> made = new ArrayList<>();
        Flux<Element> source = Flux.range(0, COUNT).map(i -> {
            Element element = new Element();
            made.add(element);
            return element;
        }).hide();
        BaseSubscriber<Object> subscriber = new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                if (operator.demand > 0) {
                    subscription.request(operator.demand);
                }
            }

            @Override
            protected void hookOnNext(Object value) {
                UcxBuffer.discard(value);
            }
        };
        Flux.from(operator.use.of(source, Schedulers.fromExecutor(waiting::add)))
                .doOnDiscard(Object.class, UcxBuffer::discard).subscribe(subscriber);
        subscriber.cancel();
        waiting.forEach(Runnable::run);

        assertThat(made).isNotEmpty();
        assertThat(made.stream().anyMatch(element -> !element.isDisposed())).as("lost").isEqualTo(operator.loses);
    }
}
