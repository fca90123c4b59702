package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.core.Ucx;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.internal.concurrent.UncancelledMono;
import io.reactorucx.message.TagInfo;
import io.reactorucx.message.TaggedBuffer;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.transport.LeakDetection;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Subscription;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.Fuseable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Whatever operator drops a lease or an offer: with {@code doOnDiscard} it is released. Nothing is left to the garbage
 * collector here.
 */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class DiscardTest implements NeedsUcx {

    private static final int ID = 15;
    private static final int COUNT = 8;
    private static final int SIZE = 20_000;

    private static Peers peers;
    private static UcpMemory window;
    private static UcxConnection client;
    private static UcxConnection served;

    private final List<PendingOperation> sent = new ArrayList<>();

    @BeforeAll
    static void connect() {
        if (Ucx.isAvailable()) {
            peers = Peers.connect(Route.TCP_BY_SOCKET_ADDRESS, builder -> builder.leakDetection(LeakDetection.DISABLED),
                    UnaryOperator.identity(), UnaryOperator.identity());
            window = peers.serverResources().registerMemory(Bytes.pattern(1, COUNT * SIZE));
        }
    }

    @AfterAll
    static void close() {
        if (peers != null) {
            window.close();
            peers.close();
            peers = null;
        }
    }

    /** Where leases and offers come from. */
    private enum Source {
        OFFERS, FETCHED, TAGGED, STREAM, REMOTE_MEMORY;

        Flux<?> flux() {
            return switch (this) {
                case OFFERS -> served.activeMessages().receive(ID);
                case FETCHED -> served.activeMessages().receive(ID)
                        .concatMap(offer -> offer.fetch(peers.serverResources().buffers()), 2);
                case TAGGED -> served.tags().receiveAll(ID, -1, SIZE);
                case STREAM -> served.streams().receive(1000);
                case REMOTE_MEMORY -> Flux.using(() -> peers.client()
                        .memory(window.descriptor()), remote -> remote.getFlux(SIZE, COUNT),
                        RemoteMemory::close);
            };
        }

        PendingOperation send(int number) {
            MemorySegment payload = Bytes.pattern(number, SIZE);
            return PendingOperation.of(switch (this) {
                case OFFERS, FETCHED -> client.activeMessages()
                        .send(ID, MemorySegment.NULL, payload, AmProtocol.RENDEZVOUS);
                case TAGGED -> client.tags().send(ID, payload.asSlice(0, 1000));
                case STREAM -> client.streams().send(payload.asSlice(0, 1000));
                case REMOTE_MEMORY -> Mono.empty();
            });
        }
    }

    /** What may hold or drop what comes. */
    private enum Path {
        PUBLISH_ON(flux -> flux.publishOn(Schedulers.parallel(), 4)),
        PUBLISH_ON_FUSED(flux -> flux.publishOn(Schedulers.parallel(), 4).map(Function.identity())
        .publishOn(Schedulers.single(), 4)),
        FILTER(flux -> flux.filter(value -> false)),
        FILTER_FUSED(flux -> flux.filter(value -> true).publishOn(Schedulers.parallel(), 4).filter(value -> false)),
        TAKE(flux -> flux.take(2)),
        TAKE_UNTIL(flux -> flux.takeUntil(value -> true)),
        SKIP(flux -> flux.skip(COUNT)),
        BUFFER(flux -> flux.buffer(10 * COUNT)),
        COLLECT(flux -> flux.collectList().flux()),
        FLAT_MAP(flux -> flux.flatMap(value -> Mono.just(value).hide(), 4, 1)),
        FLAT_MAP_SEQUENTIAL(flux -> flux.flatMapSequential(Mono::just, 4, 1)),
        CONCAT_MAP(flux -> flux.concatMap(value -> Mono.just(value).concatWith(Mono.never()), 4)),
        BACKPRESSURE_BUFFER(flux -> flux.onBackpressureBuffer(100)),
        BACKPRESSURE_DROP(Flux::onBackpressureDrop),
        BACKPRESSURE_LATEST(Flux::onBackpressureLatest);

        private final Function<Flux<Object>, Flux<?>> operators;

        Path(Function<Flux<Object>, Flux<?>> operators) {
            this.operators = operators;
        }
    }

    static List<Arguments> everyPathFromEverySource() {
        List<Arguments> all = new ArrayList<>();
        for (Source source : Source.values()) {
            for (Path path : Path.values()) {
                all.add(Arguments.of(source, path));
            }
        }
        return all;
    }

    /** Takes one, releases it, and asks for no more. */
    private static final class OneOnly extends BaseSubscriber<Object> {

        private final AtomicInteger delivered = new AtomicInteger();

        @Override
        protected void hookOnSubscribe(Subscription subscription) {
            request(1);
        }

        @Override
        protected void hookOnNext(Object value) {
            for (Object each : value instanceof List<?> several ? several : List.of(value)) {
                delivered.incrementAndGet();
                UcxBuffer.discard(each);
            }
        }
    }

    @BeforeEach
    void assumeConnected() {
        assumeTrue(peers != null, "nothing is connected");
        client = peers.client();
        served = peers.served();
    }

    @AfterEach
    void nothingIsLeft() {
        if (peers == null) {
            return;
        }
        sent.forEach(DiscardTest::assertDoneOrRefused);
        await().atMost(Waits.PATIENCE).untilAsserted(() -> {
            assertThat(peers.serverResources().buffers().leases()).as("leases of the server").isZero();
            assertThat(peers.clientResources().buffers().leases()).as("leases of the client").isZero();
            assertThat(peers.serverResources().engines().getFirst().counters().heldMessages()).as("held").isZero();
        });
        drainTags();
        peers.assertWorks();
    }

    /** An offer that comes when its receiver has left fails at its sender. */
    private static void assertDoneOrRefused(PendingOperation operation) {
        if (operation.hasFailed()) {
            assertThat(operation.failure()).isInstanceOfSatisfying(UcxException.class,
                    error -> assertThat(error.status()).isEqualTo(UcxStatus.REJECTED));
        }
    }

    /** What was sent and not received waits in UCX, and would be the next test's. */
    private static void drainTags() {
        TagInfo waiting = peers.served().tags().probe(ID, -1).block(Waits.PATIENCE);
        while (waiting != null) {
            peers.served().tags().receive(ID, Bytes.zeroed(SIZE)).block(Waits.PATIENCE);
            waiting = peers.served().tags().probe(ID, -1).block(Waits.PATIENCE);
        }
    }

    @ParameterizedTest
    @MethodSource("everyPathFromEverySource")
    void whatIsDroppedIsReleased(Source source, Path path) {
        if (source == Source.STREAM) {
            // UCX cannot cancel a receive of a stream, and one or two of them keep their leases until the connection
            // ends.
            client = peers.connect();
            served = peers.nextServed();
        }
        AtomicInteger discarded = new AtomicInteger();
        AtomicInteger came = new AtomicInteger();
        OneOnly subscriber = new OneOnly();
        path.operators.apply(source.flux().cast(Object.class).doOnNext(value -> came.incrementAndGet()))
                .doOnDiscard(Object.class, value -> {
                    discarded.incrementAndGet();
                    UcxBuffer.discard(value);
                }).cast(Object.class).subscribe(subscriber);
        Waits.engineOf(served);
        for (int i = 0; i < COUNT; i++) {
            sent.add(source.send(i));
        }
        try {
            int wanted = path.name().startsWith("TAKE") ? 1 : 2;
            await().atMost(Waits.PATIENCE).until(() -> came.get() >= wanted);
        } finally {
            subscriber.cancel();
        }
        // Of a fetch within the source, its queue of offers is discarded along with them.
        await().atMost(Waits.PATIENCE).untilAsserted(() -> assertThat(discarded.get() + subscriber.delivered.get())
                .as("discarded and delivered").matches(count -> source == Source.FETCHED || count == came.get(),
                "all that came"));
        if (client != peers.client()) {
            client.close().block(Waits.PATIENCE);
        }
    }

    @Test
    void noPublisherOfLeasesIsFuseable() {
        for (Source source : Source.values()) {
            assertThat(source == Source.REMOTE_MEMORY ? peers.client().memory(window.descriptor()).getFlux(1, 1)
                    : source.flux())
                    .as(source.name()).isNotInstanceOf(Fuseable.class);
        }
    }

    @Test
    void cancelWhileOffersWaitForDemandReleasesThem() {
        ManualDemandSubscriber subscriber = ManualDemandSubscriber.at(peers.served(), ID);
        for (int i = 0; i < COUNT; i++) {
            sent.add(Source.OFFERS.send(i));
        }
        await().atMost(Waits.PATIENCE).until(() -> peers.serverResources().engines().getFirst().counters()
                .heldMessages() == COUNT);
        sent.forEach(PendingOperation::assertPending);
        subscriber.cancel();
    }

    @Test
    void hookReleasesWhatTheLastSubscriberDrops() {
        AtomicInteger dropped = new AtomicInteger();
        Hooks.onNextDropped(value -> {
            dropped.incrementAndGet();
            UcxBuffer.discard(value);
        });
        try {
            Inbox inbox = Inbox.of(peers.served(), ID);
            sent.add(Source.OFFERS.send(1));
            Disposable.Swap fetching = Disposables.swap();
            CountDownLatch subscribed = new CountDownLatch(1);
            fetching.update(inbox.next().fetch(peers.serverResources().buffers()).doOnNext(lease -> {
                awaitLatch(subscribed);
                fetching.dispose();
            }).subscribe(UcxBuffer::release));
            subscribed.countDown();
            await().atMost(Waits.PATIENCE).until(() -> dropped.get() == 1);
            inbox.cancel();
        } finally {
            Hooks.resetOnNextDropped();
            UncancelledMono.installHook();
        }
    }

    @Test
    void fetchWhoseLeaseIsUsedElsewhereAndMayTimeOutLosesNothing() {
        AtomicInteger used = new AtomicInteger();
        AtomicInteger late = new AtomicInteger();
        Inbox inbox = Inbox.of(peers.served(), ID);
        for (int i = 0; i < 400; i++) {
            sent.add(Source.OFFERS.send(i));
            inbox.next().fetch(peers.serverResources().buffers())
                    .flatMap(lease -> Mono.fromCallable(() -> lease.segment().byteSize())
                    .subscribeOn(Schedulers.parallel())
                            .doFinally(end -> lease.release()))
                    .timeout(Duration.ofNanos(20_000L * (i % 40))).doOnNext(size -> used.incrementAndGet())
                    .onErrorResume(TimeoutException.class, error -> {
                        late.incrementAndGet();
                        return Mono.empty();
                    }).block(Waits.PATIENCE);
        }
        inbox.cancel();
        assertThat(used.get() + late.get()).isEqualTo(400);
        assertThat(late).hasPositiveValue();
    }

    /** What the documentation warns of: when this fails, Reactor has learned better, and the warning can go. */
    @Test
    void publishOnDropsQueuedValuesWithoutTheDiscardHook() {
        AtomicInteger told = new AtomicInteger();
        Hooks.onNextDropped(value -> told.incrementAndGet());
        Scheduler busy = Schedulers.newSingle("busy");
        CountDownLatch gate = new CountDownLatch(1);
        UcxBuffer lease = peers.serverResources().buffers().acquire(1);
        try {
            busy.schedule(() -> awaitLatch(gate));
            Disposable ofMono = Mono.just(lease).hide().publishOn(busy)
                    .doOnDiscard(Object.class, value -> told.incrementAndGet())
                    .subscribe(value -> told.incrementAndGet());
            Disposable ofFlux = Flux.just(lease).hide().publishOn(busy)
                    .doOnDiscard(Object.class, value -> told.incrementAndGet())
                    .subscribe(value -> told.incrementAndGet());
            ofMono.dispose();
            ofFlux.dispose();
            gate.countDown();
            Mono.fromRunnable(() -> { }).subscribeOn(busy).block(Waits.PATIENCE);

            assertThat(told).hasValue(0);
        } finally {
            lease.release();
            gate.countDown();
            busy.dispose();
            Hooks.resetOnNextDropped();
            UncancelledMono.installHook();
        }
    }

    private static void awaitLatch(CountDownLatch latch) {
        try {
            assertThat(latch.await(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void otherThingsAreLeftAlone() {
        AtomicInteger disposed = new AtomicInteger();
        Disposable others = disposed::incrementAndGet;
        UcxBuffer.discard(others);
        UcxBuffer.discard("text");
        assertThat(disposed).hasValue(0);
        UcxBuffer lease = peers.serverResources().buffers().acquire(1);
        TaggedBuffer tagged = new TaggedBuffer(1, lease.retain());
        UcxBuffer.discard(tagged);
        assertThat(tagged.isDisposed()).isFalse();
        UcxBuffer.discard(lease);
        UcxBuffer.discard(lease);
        assertThat(tagged.isDisposed()).isTrue();
    }
}
