package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.buffer.UcxBufferPool;
import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.engine.EngineConfig;
import io.reactorucx.engine.EngineCounters;
import io.reactorucx.internal.concurrent.EngineCall;
import io.reactorucx.internal.ucp.ActiveMessageProtocol;
import io.reactorucx.message.ActiveMessage;
import io.reactorucx.message.TaggedMessage;
import io.reactorucx.message.UcxResponder;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.transport.connection.EngineConnections;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Subscription;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;
import reactor.util.retry.Retry;

/** Too much at once is refused in a way that can be retried, and nothing that has to happen is lost. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
@ParameterizedClass(name = "{0}")
@EnumSource(names = {"POSIX_BY_SOCKET_ADDRESS", "TCP_BY_SOCKET_ADDRESS"})
class EngineLimitsTest implements NeedsUcx {

    private static final int ID = 17;
    private static final Retry PATIENTLY = Retry.backoff(1_000, Duration.ofMillis(1)).maxBackoff(Duration.ofMillis(20))
            .filter(error -> error instanceof UcxException ucx && ucx.isRetryable());

    @Parameter
    private Route route;
    private Peers peers;

    @AfterEach
    void close() {
        if (peers != null) {
            peers.close();
        }
    }

    private void connect(int commandQueue, int maxInFlight) {
        peers = Peers.connect(route,
                builder -> builder.engineConfig(EngineConfig.of("reactor-ucx-small")
                .withLimits(commandQueue, maxInFlight))
                        .maxBufferBytes(4 << 20),
                UnaryOperator.identity(), UnaryOperator.identity());
    }

    private Mono<Void> offer(int number) {
        return peers.client().activeMessages().send(ID, MemorySegment.NULL, Bytes.pattern(number, 50_000),
                AmProtocol.RENDEZVOUS);
    }

    @Test
    void operationsPastTheLimitAreRefusedAndMayBeRetried() {
        connect(1024, 4);
        Inbox inbox = Inbox.of(peers.served(), ID);
        List<PendingOperation> first = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            first.add(PendingOperation.of(offer(i)));
        }
        Waits.engineOf(peers.client());

        StepVerifier.create(offer(4)).expectErrorSatisfies(error -> assertThat(error)
                .isInstanceOfSatisfying(UcxException.class, ucx -> {
                    assertThat(ucx.status()).isEqualTo(UcxStatus.NO_RESOURCE);
                    assertThat(ucx.isRetryable()).isTrue();
                    assertThat(ucx.peer()).isEqualTo(peers.client().peer());
                })).verify(Waits.PATIENCE);

        PendingOperation retried = PendingOperation.of(offer(4).retryWhen(PATIENTLY));
        for (int i = 0; i < 5; i++) {
            Bytes.assertSame(Bytes.of(inbox.next()), Bytes.pattern(i, 50_000));
        }
        first.forEach(PendingOperation::assertDone);
        retried.assertDone();
    }

    @Test
    void manySendsGetThroughASmallLimit() {
        connect(1024, 4);
        Inbox inbox = Inbox.of(peers.served(), ID);
        PendingOperation sent = PendingOperation.of(Flux.range(0, 100).flatMap(i -> offer(i).retryWhen(PATIENTLY), 16)
                .then());

        for (int i = 0; i < 100; i++) {
            assertThat(Bytes.of(inbox.next()).byteSize()).isEqualTo(50_000);
        }
        sent.assertDone();
    }

    @Test
    void fetchWithoutRoomInThePoolMayBeRetried() {
        connect(1024, 64);
        Inbox inbox = Inbox.of(peers.served(), ID);
        UcxBufferPool pool = peers.serverResources().buffers();
        UcxBuffer all = pool.acquire(4 << 20);
        PendingOperation sent = PendingOperation.of(offer(1));
        ActiveMessage offer = inbox.next();

        StepVerifier.create(offer.fetch(pool)).expectErrorSatisfies(error -> assertThat(error)
                .isInstanceOfSatisfying(UcxException.class, ucx -> {
                    assertThat(ucx.status()).isEqualTo(UcxStatus.EXCEEDS_LIMIT);
                    assertThat(ucx.isRetryable()).isTrue();
                })).verify(Waits.PATIENCE);
        sent.assertPending();
        CompletableFuture<UcxBuffer> retried = offer.fetch(pool).retryWhen(PATIENTLY).toFuture();
        all.release();

        UcxBuffer buffer = Waits.get(retried);
        Bytes.assertSame(buffer.segment(), Bytes.pattern(1, 50_000));
        buffer.release();
        sent.assertDone();
    }

    /** Operations that wait for the peer have all slots; what the peer waits for has slots of its own. */
    @Test
    void messagesOfThePeerAreFetchedAndAnsweredWhenEverySlotIsTaken() {
        connect(1024, 4);
        List<PendingOperation> slots = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            slots.add(PendingOperation.of(peers.served().tags().receive(ID, Bytes.zeroed(8))));
        }
        Waits.engineOf(peers.served());
        assertThat(PendingOperation.of(peers.served().tags().receive(ID, Bytes.zeroed(8))).failure())
                .hasMessageContaining("NO_RESOURCE");
        PendingOperation echo = PendingOperation.of(peers.served().outbound().sendByteArrays(peers.served().inbound()
                .receiveByteArrays().map(message -> new byte[] {message[0]}).take(3)));
        CompletableFuture<List<byte[]>> echoed = peers.client().inbound().receiveByteArrays().take(3).collectList()
                .toFuture();
        PendingOperation sent = PendingOperation.of(peers.client().outbound().sendByteArrays(Flux.range(0, 3)
                .map(i -> Bytes.array(Bytes.pattern(i, 50_000)))));

        assertThat(Waits.get(echoed)).hasSize(3);
        sent.assertDone();
        echo.assertDone();
        slots.forEach(PendingOperation::cancel);
    }

    /** With all slots of both sides taken by offers neither could fetch those of the other. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8})
    void bothSidesSendMoreLargeMessagesThanTheyMayHaveInFlight(int maxInFlight) {
        peers = Peers.connect(route, builder -> builder.engineConfig(EngineConfig.of("reactor-ucx-small")
                .withLimits(1024, maxInFlight)).sharedBuffers(false), UnaryOperator.identity(),
                UnaryOperator.identity());
        List<Disposable> responding = Stream.of(peers.client(), peers.served()).map(each ->
                each.respond(new UcxResponder() {
                    @Override
                    public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
                        return Mono.just(request);
                    }
                }).subscribe()).toList();
        List<UcxConnection> sides = List.of(peers.client(), peers.served());
        sides.forEach(Waits::engineOf);

        List<CompletableFuture<Long>> answers = sides.stream().map(side -> Flux.range(0, 400).flatMap(i ->
                side.requester().requestResponse(new byte[17 << 10]), 64).count().toFuture()).toList();

        answers.forEach(each -> assertThat(Waits.get(each)).isEqualTo(400));
        responding.forEach(Disposable::dispose);
    }

    @Test
    void commandsPastTheQueueAreRefusedAndMayBeRetried() {
        connect(4, 64);
        Inbox inbox = Inbox.of(peers.served(), ID);
        CountDownLatch gate = BusyEngine.of(peers.client());
        List<CompletableFuture<Void>> sends = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            sends.add(peers.client().activeMessages().send(ID, new byte[] {(byte) i}).toFuture());
        }
        PendingOperation retried = PendingOperation.of(peers.client().activeMessages().send(ID, new byte[] {10})
                .retryWhen(PATIENTLY));
        retried.assertPending();
        gate.countDown();

        for (int i = 0; i < 10; i++) {
            if (i < 4) {
                Waits.get(sends.get(i));
                assertThat(Bytes.array(inbox.next().data())).containsExactly(i);
            } else {
                assertThat(Waits.failure(sends.get(i))).isInstanceOfSatisfying(UcxException.class, error -> {
                    assertThat(error.status()).isEqualTo(UcxStatus.BUSY);
                    assertThat(error.isRetryable()).isTrue();
                });
            }
        }
        retried.assertDone();
        assertThat(Bytes.array(inbox.next().data())).containsExactly(10);
        assertThat(peers.clientResources().engines().getFirst().counters().rejectedCommands())
                .isGreaterThanOrEqualTo(6);
    }

    @Test
    void demandAndCancelAndCloseSurviveAFullQueue() {
        connect(4, 64);
        CountDownLatch gate = BusyEngine.of(peers.client());
        for (int i = 0; i < 4; i++) {
            peers.client().flush().subscribe();
        }
        CompletableFuture<ActiveMessage> received = peers.client().activeMessages().receive(ID).next().toFuture();
        PendingOperation abandoned = PendingOperation.of(peers.client().activeMessages().receive(ID + 1).then());
        abandoned.cancel();
        gate.countDown();
        awaitReceiver(peers.client(), ID);

        peers.served().activeMessages().send(ID, new byte[] {1}).block(Waits.PATIENCE);
        assertThat(Bytes.array(Waits.get(received).data())).containsExactly(1);

        CountDownLatch again = BusyEngine.of(peers.client());
        for (int i = 0; i < 4; i++) {
            peers.client().flush().subscribe(ignored -> { }, error -> { });
        }
        CompletableFuture<Void> closed = peers.client().close().toFuture();
        again.countDown();
        Waits.get(closed);
    }

    private static void awaitReceiver(UcxConnection connection, int id) {
        EngineConnections registry = connection.resources().connecting().connections().getFirst();
        await().atMost(Waits.PATIENCE).until(() -> Boolean.TRUE.equals(EngineCall.mono(registry.engine(), worker ->
                registry.connections().getFirst()
                        .protocol(ActiveMessageProtocol.class).receives(id))
                .block(Waits.PATIENCE)));
    }

    @Test
    void blockingOnTheEnginesThreadFailsAtOnce() {
        connect(1024, 64);
        CompletableFuture<String> failure = new CompletableFuture<>();
        peers.client().scheduler().schedule(() -> {
            try {
                peers.client().flush().block();
                failure.complete("it did not fail");
            } catch (IllegalStateException e) {
                failure.complete(e.getMessage());
            }
        });

        assertThat(Waits.get(failure)).contains("block()").contains("reactor-ucx-small-0");
        peers.assertWorks();
    }

    @Test
    void cancelledReceiveTakesNoMessageAlthoughTheQueueWasFull() {
        connect(4, 64);
        PendingOperation abandoned = PendingOperation.of(peers.client().tags().receive(ID, Bytes.zeroed(8)));
        Waits.engineOf(peers.client());
        CountDownLatch gate = BusyEngine.of(peers.client());
        for (int i = 0; i < 4; i++) {
            peers.client().flush().subscribe();
        }
        abandoned.cancel();
        gate.countDown();
        await().atMost(Waits.PATIENCE).until(() -> peers.clientResources().engines().getFirst().counters()
                .inFlight() == 0);

        CompletableFuture<TaggedMessage> next = peers.client().tags().receive(ID, Bytes.zeroed(8)).toFuture();
        peers.served().tags().send(ID, Bytes.pattern(1, 8)).block(Waits.PATIENCE);
        Bytes.assertSame(Waits.get(next).data(), Bytes.pattern(1, 8));
    }

    @Test
    void demandTakesOnePlaceOfTheQueueHoweverOftenItIsAskedFor() {
        connect(16, 64);
        BaseSubscriber<Object> messages = unasked();
        BaseSubscriber<Object> stream = unasked();
        peers.client().activeMessages().receive(ID).subscribe(messages);
        peers.client().streams().receive(1).subscribe(stream);
        Waits.engineOf(peers.client());
        EngineCounters counters = peers.clientResources().engines().getFirst().counters();
        long before = counters.rejectedCommands();
        CountDownLatch gate = BusyEngine.of(peers.client());

        for (int i = 0; i < 1000; i++) {
            messages.request(1);
            stream.request(1);
        }

        assertThat(counters.rejectedCommands()).isEqualTo(before);
        gate.countDown();
        messages.cancel();
        stream.cancel();
        peers.client().close().block(Waits.PATIENCE);
    }

    private static BaseSubscriber<Object> unasked() {
        return new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                // Asks later.
            }
        };
    }
}
