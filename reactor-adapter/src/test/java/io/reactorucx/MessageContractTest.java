package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.Ucx;
import io.reactorucx.testsupport.NoLeaks;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Signal;
import reactor.core.publisher.SignalType;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

/** Flow-controlled messages of the default stream, over every route between two peers. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
@ParameterizedClass(name = "{0}")
@EnumSource(names = "SELF", mode = EnumSource.Mode.EXCLUDE)
class MessageContractTest implements NeedsUcx {

    @Parameter
    private Route route;
    private Peers peers;

    @BeforeEach
    void connect() {
        if (Ucx.isAvailable()) {
            peers = Peers.connect(route);
        }
    }

    @AfterEach
    void close() {
        if (peers != null) {
            peers.close();
        }
    }

    private static UcxBuffer lease(UcxResources resources, long seed, long size) {
        UcxBuffer lease = resources.buffers().acquire(size);
        Bytes.fill(lease.segment(), seed);
        return lease;
    }

    private static void assertContent(UcxBuffer message, long seed, long size) {
        try {
            Bytes.assertSame(message.segment(), Bytes.pattern(seed, size));
        } finally {
            message.release();
        }
    }

    @Test
    void textsArriveInOrder() {
        CompletableFuture<List<String>> received = peers.served().inbound().receiveStrings().take(3).collectList()
                .toFuture();

        peers.client().outbound().sendStrings(Flux.just("one", "zwei", "τρία")).block(Waits.PATIENCE);

        assertThat(Waits.get(received)).containsExactly("one", "zwei", "τρία");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 8, 5000, 16384, 16385, 100_000, 1 << 20, 16 << 20})
    void messageOfAnySizeArrivesUnchanged(int size) {
        int count = size > 1 << 20 ? 2 : 20;
        CompletableFuture<Void> received = peers.served().inbound().receive().take(count).index()
                .doOnNext(message -> assertContent(message.getT2(), message.getT1(), size)).then().toFuture();

        peers.client().outbound().send(Flux.range(0, count).map(i -> lease(peers.clientResources(), i, size)))
                .block(Waits.PATIENCE);

        Waits.get(received);
    }

    @Test
    void manySmallAndLargeMessagesArriveInOrder() {
        int count = 20_000;
        int[] sizes = new Random(7).ints(count, 0, 1000).map(size -> size < 10 ? size * 20_000 : size < 100 ? size * 100
                : size).toArray();
        CompletableFuture<Void> received = peers.served().inbound().receive().take(count).index()
                .doOnNext(message -> assertContent(message.getT2(), message.getT1(), sizes[message.getT1().intValue()]))
                .then().toFuture();

        peers.client().outbound().send(Flux.range(0, count).map(i -> lease(peers.clientResources(), i, sizes[i])))
                .block(Waits.PATIENCE);

        Waits.get(received);
    }

    @Test
    void byteArraysOfAnySizePassInBothDirectionsAtOnce() {
        int count = 3000;
        List<CompletableFuture<Void>> ends = new ArrayList<>();
        for (List<UcxConnection> pair : List.of(List.of(peers.client(), peers.served()),
                List.of(peers.served(), peers.client()))) {
            // No cancel after the last message: the source may complete later, on another thread.
            CompletableFuture<Void> all = new CompletableFuture<>();
            ends.add(all);
            pair.getFirst().inbound().receiveByteArrays().index().doOnNext(message -> {
                Bytes.assertSame(MemorySegment.ofArray(message.getT2()),
                        Bytes.pattern(message.getT1(), message.getT1() * 13));
                if (message.getT1() == count - 1) {
                    all.complete(null);
                }
            }).subscribe(message -> { }, all::completeExceptionally);
            ends.add(pair.getLast().outbound().sendByteArrays(Flux.range(0, count)
                    .map(i -> Bytes.array(Bytes.pattern(i, i * 13L)))
                    .publishOn(Schedulers.parallel())).toFuture());
        }
        ends.forEach(Waits::get);
    }

    @Test
    void echoWithoutCopiesReturnsAllMessages() {
        int count = 5000;
        PendingOperation echo = PendingOperation.of(peers.served().outbound().send(peers.served().inbound().receive()));
        CompletableFuture<Void> received = peers.client().inbound().receive().take(count).index()
                .doOnNext(message -> assertContent(message.getT2(), message.getT1(), message.getT1() * 7)).then()
                .toFuture();

        peers.client().outbound().send(Flux.range(0, count).map(i -> lease(peers.clientResources(), i, i * 7L)))
                .block(Waits.PATIENCE);

        Waits.get(received);
        assertThat(echo.failure()).hasMessageContaining("cancelled by peer");
    }

    @Test
    void connectionClosesGracefullyWhileASourceIsSilent() {
        Sinks.Many<byte[]> source = Sinks.many().unicast().onBackpressureBuffer();
        CompletableFuture<byte[]> first = new CompletableFuture<>();
        CompletableFuture<List<Signal<byte[]>>> received = peers.served().inbound().receiveByteArrays()
                .doOnNext(first::complete).materialize().collectList().toFuture();
        peers.client().outbound().sendByteArrays(source.asFlux()).subscribe(ignored -> { }, error -> { });
        source.tryEmitNext(new byte[] {1});
        Waits.get(first);

        peers.client().close().block(Waits.PATIENCE);

        assertThat(Waits.get(received)).extracting(Signal::getType).containsExactly(SignalType.ON_NEXT,
                SignalType.ON_ERROR);
    }

    @Test
    void connectionClosesGracefullyWhileALargeMessageIsFetched() {
        CompletableFuture<List<SignalType>> received = peers.served().inbound().receive().doOnNext(UcxBuffer::release)
                .materialize().map(Signal::getType).collectList().toFuture();
        CompletableFuture<Void> sent = peers.client().outbound()
                .send(Mono.fromSupplier(() -> lease(peers.clientResources(), 1, 8 << 20)))
                .toFuture();

        peers.client().close().block(Waits.PATIENCE);

        // Messages that were queued before the close arrive, and no others.
        assertThat(Waits.get(received)).isEqualTo(sent.isCompletedExceptionally() ? List.of(SignalType.ON_ERROR)
                : List.of(SignalType.ON_NEXT, SignalType.ON_COMPLETE));
    }

    @Test
    void queuedMessagesArriveBeforeTheEnd() {
        int count = 1000;
        CompletableFuture<Long> received = peers.served().inbound().receive().doOnNext(UcxBuffer::release).count()
                .toFuture();
        peers.client().outbound().send(Flux.range(0, count)
                .map(i -> lease(peers.clientResources(), i, i % 50 == 0 ? 50_000 : 10)))
                .block(Waits.PATIENCE);

        peers.client().close().block(Waits.PATIENCE);

        assertThat(Waits.get(received)).isEqualTo(count);
        peers.served().onDispose().block(Waits.PATIENCE);
    }

    @Test
    void sendsOfOneOutboundAlternate() {
        List<Integer> received = new ArrayList<>();
        Mono<Void> both = Mono.when(
                peers.client().outbound().sendByteArrays(Flux.range(0, 2000).map(i -> new byte[] {1})),
                peers.client().outbound().sendByteArrays(Flux.range(0, 2000).map(i -> new byte[] {2})));
        PendingOperation sent = PendingOperation.of(both);
        StepVerifier.create(peers.served().inbound().receiveByteArrays().take(4000)
                .doOnNext(message -> received.add((int) message[0])))
                .expectNextCount(4000).expectComplete().verify(Waits.PATIENCE);
        sent.assertDone();
        assertThat(received.subList(0, 1000)).contains(1, 2);
        assertThat(IntStream.range(0, 4000).filter(i -> received.get(i) == 1).count()).isEqualTo(2000);
    }
}
