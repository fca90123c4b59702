package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.reactorucx.buffer.UcxBuffer;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;

/** The byte stream of a connection, over every route. */
@Tag("slow")
class StreamContractTest extends SharedPeers {

    /** Collects a number of bytes of the stream, leaves the rest, and gives every lease back. */
    private static MemorySegment collect(Flux<UcxBuffer> stream, int size) {
        MemorySegment all = Bytes.zeroed(size);
        AtomicLong offset = new AtomicLong();
        stream.limitRate(1).doOnNext(piece -> {
            MemorySegment.copy(piece.segment(), 0, all, offset.get(), piece.length());
            offset.addAndGet(piece.length());
            piece.release();
        }).takeUntil(piece -> offset.get() >= size).blockLast(Waits.PATIENCE);
        assertThat(offset.get()).isEqualTo(size);
        return all;
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "100, 64", "10000, 4096", "1000000, 65536", "8000000, 1000000"})
    void bytesArriveInOrderInPiecesOfTheSizeThatWasAskedFor(int size, int chunkBytes) {
        MemorySegment payload = Bytes.pattern(size, size);
        PendingOperation sent = PendingOperation.of(peers.client().streams().send(payload));
        Bytes.assertSame(collect(peers.served().streams().receive(chunkBytes)
                .doOnNext(piece -> assertThat(piece.length()).isBetween(1L, (long) chunkBytes)), size), payload);
        sent.assertDone();
        leaveNothingPosted(chunkBytes);
    }

    /** A receive that was posted ahead goes on when its subscriber leaves: what it brings is the next one's. */
    private void leaveNothingPosted(int chunkBytes) {
        MemorySegment rest = Bytes.pattern(7, 2);
        PendingOperation.of(peers.client().streams().send(rest.asSlice(0, 1))).assertDone();
        Bytes.assertSame(collect(peers.served().streams().receive(chunkBytes), 1), rest.asSlice(0, 1));
    }

    @Test
    void bytesThatNobodyAsksForWait() {
        MemorySegment payload = Bytes.pattern(1, 300);
        StepVerifier.create(peers.served().streams().receive(100), 0).expectSubscription().then(() -> {
            PendingOperation.of(peers.client().streams().send(payload)).assertDone();
            peers.assertWorks();
        }).thenRequest(1).assertNext(piece -> {
            Bytes.assertSame(piece.segment(), payload.asSlice(0, 100));
            piece.release();
        }).thenCancel().verify(Waits.PATIENCE);
        Bytes.assertSame(collect(peers.served().streams().receive(100), 200), payload.asSlice(100));
    }

    @Test
    void nothingIsLostBetweenTwoSubscribers() {
        Disposable first = peers.served().streams().receive(16).subscribe(UcxBuffer::release);
        Waits.engineOf(peers.served());
        first.dispose();
        Waits.engineOf(peers.served());
        MemorySegment payload = Bytes.pattern(2, 100);
        PendingOperation.of(peers.client().streams().send(payload)).assertDone();
        peers.assertWorks();

        Bytes.assertSame(collect(peers.served().streams().receive(16), 100), payload);
    }

    @Test
    void secondSubscriberIsRefused() {
        Disposable first = peers.served().streams().receive(16).limitRate(1).subscribe(UcxBuffer::release);
        Waits.engineOf(peers.served());
        StepVerifier.create(peers.served().streams().receive()).expectError(IllegalStateException.class)
                .verify(Waits.PATIENCE);
        first.dispose();
        Waits.engineOf(peers.served());
        PendingOperation.of(peers.client().streams().send(Bytes.pattern(3, 1))).assertDone();
        Bytes.assertSame(collect(peers.served().streams().receive(16), 1), Bytes.pattern(3, 1));
    }

    @Test
    void leaseIsKeptWhileItIsSent() {
        UcxBuffer lease = peers.clientResources().buffers().acquire(5000);
        Bytes.fill(lease.segment(), 4);
        MemorySegment copy = Bytes.pattern(4, 5000);
        PendingOperation sent = PendingOperation.of(peers.client().streams().send(lease));
        lease.release();
        Bytes.assertSame(collect(peers.served().streams().receive(), 5000), copy);
        sent.assertDone();
    }

    @Test
    void emptyPayloadIsRefused() {
        StepVerifier.create(peers.client().streams().send(Bytes.zeroed(0))).expectError(IllegalArgumentException.class)
                .verify(Waits.PATIENCE);
        assertThatThrownBy(() -> peers.client().streams().receive(0)).isInstanceOf(IllegalArgumentException.class);
        peers.assertWorks();
    }

    @Test
    void streamEndsWithTheConnectionAfterAllThatWasSent() {
        route.assumeTwoPeers();
        UcxConnection client = peers.connect();
        UcxConnection served = peers.nextServed();
        MemorySegment payload = Bytes.pattern(5, 700_000);
        AtomicLong received = new AtomicLong();
        PendingOperation stream = PendingOperation.of(served.streams().receive(1000).doOnNext(piece -> {
            Bytes.assertSame(piece.segment(), payload.asSlice(received.get(), piece.length()));
            received.addAndGet(piece.length());
            piece.release();
        }).then());
        client.streams().send(payload).then(client.close()).block(Waits.PATIENCE);

        stream.assertDone();
        assertThat(received.get()).isEqualTo(700_000);
        served.onDispose().block(Waits.PATIENCE);
        await().atMost(Waits.PATIENCE).untilAsserted(() -> assertThat(peers.serverResources().buffers().leases())
                .isZero());
    }

    @Test
    void connectionClosesInGoodOrderWithAReceiveThatNobodyHearsOf() {
        route.assumeTwoPeers();
        UcxConnection client = peers.connect();
        UcxConnection served = peers.nextServed();
        served.streams().receive(16).subscribe(UcxBuffer::release).dispose();
        PendingOperation waiting = PendingOperation.of(client.streams().receive(16).then());
        Waits.engineOf(client);

        client.close().block(Waits.PATIENCE);

        waiting.assertDone();
        served.onDispose().block(Waits.PATIENCE);
    }

    @Test
    void subscriberMaySubscribeAgainWithinASignal() {
        MemorySegment payload = Bytes.pattern(6, 8);
        CompletableFuture<UcxBuffer> tail = peers.served().streams().receive(4).take(1).next().flatMap(head -> {
            head.release();
            return peers.served().streams().receive(4).take(1).next();
        }).toFuture();
        Waits.engineOf(peers.served());

        PendingOperation.of(peers.client().streams().send(payload)).assertDone();

        Bytes.assertSame(Waits.get(tail).segment(), payload.asSlice(4));
        Waits.get(tail).release();
    }

    @Test
    void subscriptionsToAClosedStreamEndWithinTheSignalOfTheOneBefore() {
        route.assumeTwoPeers();
        UcxConnection client = peers.connect();
        UcxConnection served = peers.nextServed();
        PendingOperation stream = PendingOperation.of(served.streams().receive(4).repeat(2).then());
        Waits.engineOf(served);

        client.close().block(Waits.PATIENCE);

        stream.assertDone();
        served.onDispose().block(Waits.PATIENCE);
    }
}
