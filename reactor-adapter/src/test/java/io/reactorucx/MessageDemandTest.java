package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.CloseMode;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.transport.buffer.BufferPool;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;
import reactor.test.publisher.TestPublisher;

/** The receiver's demand becomes the source's, and either side may end the exchange. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
@ParameterizedClass(name = "{0}")
@EnumSource(names = {"POSIX_BY_SOCKET_ADDRESS", "TCP_BY_SOCKET_ADDRESS"})
class MessageDemandTest implements NeedsUcx {

    @Parameter
    private Route route;
    private Peers peers;

    @AfterEach
    void close() {
        if (peers != null) {
            peers.close();
        }
    }

    private void connect() {
        connect(server -> server, client -> client);
    }

    private void connect(UnaryOperator<UcxServer> server, UnaryOperator<UcxClient> client) {
        peers = Peers.connect(route, UnaryOperator.identity(), server, client);
    }

    /** Waits until frames sent before have arrived, and those sent in reply as well. */
    private void settle() {
        peers.assertWorks();
        peers.assertWorks();
    }

    private Flux<byte[]> million(AtomicLong requested, AtomicInteger taken) {
        return Flux.range(0, 1_000_000).map(i -> new byte[] {i.byteValue()}).doOnRequest(requested::addAndGet)
                .doOnNext(ignored -> taken.incrementAndGet());
    }

    /** Requests only when the test does. */
    private static final class ManualSubscriber extends BaseSubscriber<byte[]> {

        private final AtomicInteger received = new AtomicInteger();
        private final CompletableFuture<Void> end = new CompletableFuture<>();

        @Override
        protected void hookOnSubscribe(Subscription subscription) {
            // The test requests.
        }

        @Override
        protected void hookOnNext(byte[] message) {
            received.incrementAndGet();
        }

        @Override
        protected void hookOnComplete() {
            end.complete(null);
        }

        @Override
        protected void hookOnError(Throwable error) {
            end.completeExceptionally(error);
        }
    }

    private ManualSubscriber subscriber() {
        ManualSubscriber subscriber = new ManualSubscriber();
        peers.served().inbound().receiveByteArrays().subscribe(subscriber);
        Waits.engineOf(peers.served());
        return subscriber;
    }

    @Test
    void sourceIsRequestedExactlyWhatTheReceiverRequests() {
        connect();
        AtomicLong requested = new AtomicLong();
        AtomicInteger taken = new AtomicInteger();
        ManualSubscriber subscriber = subscriber();
        PendingOperation sent = PendingOperation.of(peers.client().outbound()
                .sendByteArrays(million(requested, taken)));
        settle();
        assertThat(requested).hasValue(0);

        long total = 0;
        for (int n : new int[] {1, 10, 100, 7}) {
            total += n;
            subscriber.request(n);
            int expected = (int) total;
            await().atMost(Waits.PATIENCE).untilAsserted(() -> assertThat(subscriber.received).hasValue(expected));
            settle();
            assertThat(requested).hasValue(total);
            assertThat(taken).hasValue(expected);
            assertThat(subscriber.received).hasValue(expected);
        }
        sent.assertPending();
        sent.cancel();
    }

    @Test
    void messagesInFlightAreLimitedByTheWindow() {
        int window = 32;
        connect(server -> server.messageWindow(window, 1 << 20), client -> client);
        AtomicLong requested = new AtomicLong();
        AtomicInteger taken = new AtomicInteger();
        PendingOperation sent = PendingOperation.of(peers.client().outbound()
                .sendByteArrays(million(requested, taken)));
        List<Integer> ahead = new ArrayList<>();
        CompletableFuture<Void> received = peers.served().inbound().receiveByteArrays().limitRate(1000).index()
                .doOnNext(message -> ahead.add(taken.get() - message.getT1().intValue())).take(20_000).then()
                .toFuture();

        Waits.get(received);

        assertThat(sent.failure()).isInstanceOf(UcxClosedException.class);
        assertThat(ahead).allSatisfy(each -> assertThat(each).isLessThanOrEqualTo(window));
    }

    @Test
    void requestsOfOneShareACreditFrame() {
        connect();
        ManualSubscriber subscriber = subscriber();
        for (int i = 0; i < 1000; i++) {
            subscriber.request(1);
        }
        PendingOperation sent = PendingOperation.of(peers.client().outbound()
                .sendByteArrays(Flux.range(0, 1000).map(i -> new byte[8])));

        sent.assertDone();
        await().atMost(Waits.PATIENCE).untilAsserted(() -> assertThat(subscriber.received).hasValue(1000));
        settle();
        assertThat(peers.serverResources().messageStatistics().getFirst().batches()).isLessThan(40);
        subscriber.cancel();
    }

    @Test
    void demandOfTheReceiverDrivesTheSource() {
        connect();
        TestPublisher<byte[]> source = TestPublisher.createCold();
        source.next(new byte[] {1}, new byte[] {2}, new byte[] {3});
        source.complete();
        PendingOperation sent = PendingOperation.of(peers.client().outbound().sendByteArrays(source.flux()));

        StepVerifier.create(peers.served().inbound().receiveByteArrays(), 0).expectSubscription()
                .thenRequest(1).assertNext(message -> assertThat(message).containsExactly(1))
                .then(sent::assertPending)
                .thenRequest(2).assertNext(message -> assertThat(message).containsExactly(2))
                .assertNext(message -> assertThat(message).containsExactly(3)).then(sent::assertDone)
                .thenCancel().verify(Waits.PATIENCE);
        source.assertNotCancelled();
    }

    @Test
    void cancelOfTheReceiverEndsTheSendAndTheNextReceiverGetsLaterMessages() {
        connect();
        for (int round = 0; round < 5; round++) {
            AtomicInteger taken = new AtomicInteger();
            PendingOperation sent = PendingOperation.of(peers.client().outbound()
                    .send(Flux.range(0, 100_000).map(i -> peers.clientResources().buffers()
                    .acquire(i % 100 == 99 ? 20_000 : 10)).doOnNext(ignored -> taken.incrementAndGet())));

            peers.served().inbound().receive().doOnNext(UcxBuffer::release).take(300).blockLast(Waits.PATIENCE);

            assertThat(sent.failure()).isInstanceOf(UcxClosedException.class).hasMessageContaining("cancelled by peer");
            assertThat(taken.get()).isLessThan(100_000);
        }
        PendingOperation sent = PendingOperation.of(peers.client().outbound().sendStrings(Flux.just("for the next")));
        StepVerifier.create(peers.served().inbound().receiveStrings().take(1)).expectNext("for the next")
                .expectComplete()
                .verify(Waits.PATIENCE);
        sent.assertDone();
        assertThat(peers.client().isDisposed()).isFalse();
    }

    @Test
    void cancelOfTheSendReleasesQueuedMessages() {
        connect();
        ManualSubscriber subscriber = subscriber();
        subscriber.request(3);
        TestPublisher<UcxBuffer> source = TestPublisher.createNoncompliant(TestPublisher.Violation.DEFER_CANCELLATION);
        PendingOperation sent = PendingOperation.of(peers.client().outbound().send(source));
        await().atMost(Waits.PATIENCE).untilAsserted(source::assertWasRequested);
        source.next(peers.clientResources().buffers().acquire(10));
        sent.cancel();
        source.assertCancelled();
        source.next(peers.clientResources().buffers().acquire(10));

        await().atMost(Waits.PATIENCE).untilAsserted(() -> assertThat(peers.clientResources().buffers().leases())
                .isZero());
        peers.client().outbound().sendByteArrays(Mono.just(new byte[1])).block(Waits.PATIENCE);
        await().atMost(Waits.PATIENCE).until(() -> subscriber.received.get() >= 1);
    }

    @Test
    void sourceThatEmitsMoreThanRequestedIsCancelled() {
        connect();
        ManualSubscriber subscriber = subscriber();
        subscriber.request(2);
        TestPublisher<UcxBuffer> source = TestPublisher.createNoncompliant(TestPublisher.Violation.REQUEST_OVERFLOW);
        PendingOperation sent = PendingOperation.of(peers.client().outbound().send(source));
        await().atMost(Waits.PATIENCE).untilAsserted(source::assertWasRequested);
        for (int i = 0; i < 3; i++) {
            source.next(peers.clientResources().buffers().acquire(10));
        }

        assertThat(sent.failure()).hasMessageContaining("more than it was asked for");
        source.assertCancelled();
        await().atMost(Waits.PATIENCE).untilAsserted(() -> assertThat(subscriber.received).hasValue(2));
    }

    @Test
    void errorOfTheSourceFollowsItsMessages() {
        connect();
        ManualSubscriber subscriber = subscriber();
        subscriber.request(10);
        PendingOperation sent = PendingOperation.of(peers.client().outbound()
                .sendByteArrays(Flux.range(0, 5).map(i -> new byte[1])
                .concatWith(Flux.error(new IllegalStateException("the source failed")))));

        assertThat(sent.failure()).isInstanceOf(IllegalStateException.class).hasMessage("the source failed");
        await().atMost(Waits.PATIENCE).untilAsserted(() -> assertThat(subscriber.received).hasValue(5));
        assertThat(peers.client().isDisposed()).isFalse();
    }

    @Test
    void receiverThatThrowsIsCancelledAndItsLeaseReleased() {
        connect();
        peers.served().inbound().receive().subscribe(new BaseSubscriber<>() {
            @Override
            protected void hookOnNext(UcxBuffer message) {
                throw new LinkageError("this receiver throws");
            }

            @Override
            protected void hookOnError(Throwable error) {
                throw new IllegalArgumentException("this receiver throws", error);
            }
        });
        PendingOperation sent = PendingOperation.of(peers.client().outbound()
                .sendByteArrays(Flux.range(0, 100_000).map(i -> new byte[10])));

        assertThat(sent.failure()).isInstanceOf(UcxClosedException.class);
        assertThat(peers.served().isDisposed()).isFalse();
    }

    @Test
    void secondReceiverFailsAndTheFirstContinues() {
        connect();
        ManualSubscriber first = subscriber();
        StepVerifier.create(peers.served().inbound().receiveStrings()).expectErrorSatisfies(error -> assertThat(error)
                .isInstanceOf(IllegalStateException.class).hasMessageContaining("have a subscriber"))
                .verify(Waits.PATIENCE);
        first.request(1);
        peers.client().outbound().sendByteArrays(Mono.just(new byte[1])).block(Waits.PATIENCE);
        await().atMost(Waits.PATIENCE).untilAsserted(() -> assertThat(first.received).hasValue(1));
    }

    @Test
    void requestOfZeroFailsTheReceiver() {
        connect();
        CompletableFuture<Throwable> error = new CompletableFuture<>();
        peers.served().inbound().receiveByteArrays().subscribe(new CoreSubscriber<>() {
            @Override
            public void onSubscribe(Subscription subscription) {
                subscription.request(0);
            }

            @Override
            public void onNext(byte[] message) {
                error.completeExceptionally(new AssertionError("no message was requested"));
            }

            @Override
            public void onError(Throwable failure) {
                error.complete(failure);
            }

            @Override
            public void onComplete() {
                error.completeExceptionally(new AssertionError("completed instead of failing"));
            }
        });
        assertThat(Waits.get(error)).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("3.9");
        assertThat(peers.served().isDisposed()).isFalse();
    }

    @Test
    void messageThatIsTooLargeFailsAtItsSender() {
        connect(server -> server.maxMessageBytes(1000), client -> client);
        ManualSubscriber subscriber = subscriber();
        subscriber.request(10);
        PendingOperation tooLarge = PendingOperation.of(peers.client().outbound()
                .sendByteArrays(Flux.just(new byte[1000], new byte[1001])));

        assertThat(tooLarge.failure()).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("1001 bytes")
                .hasMessageContaining("at most 1000");
        await().atMost(Waits.PATIENCE).untilAsserted(() -> assertThat(subscriber.received).hasValue(1));
        peers.client().outbound().sendByteArrays(Mono.just(new byte[3])).block(Waits.PATIENCE);
    }

    @Test
    void releasedLeaseIsRefused() {
        connect();
        subscriber().request(10);
        for (int size : new int[] {10, 100_000}) {
            UcxBuffer released = peers.clientResources().buffers().acquire(size);
            released.release();
            assertThat(PendingOperation.of(peers.client().outbound().send(Mono.just(released))).failure())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("released");
        }
        peers.client().outbound().sendByteArrays(Mono.just(new byte[3])).block(Waits.PATIENCE);
    }

    @Test
    void receiverWithoutMemoryWaitsForIt() {
        // One slab of large blocks, one of small ones.
        peers = Peers.connect(route, resources -> resources.maxBufferBytes(8 << 20), server -> server, client ->
                client);
        BlockingQueue<UcxBuffer> kept = new LinkedBlockingQueue<>();
        CompletableFuture<Void> all = peers.served().inbound().receive().publishOn(Schedulers.single(), 1)
                .doOnNext(kept::add).take(12)
                .then().toFuture();
        PendingOperation sent = PendingOperation.of(peers.client().outbound()
                .sendByteArrays(Flux.range(0, 12).map(i -> new byte[i % 3 == 2 ? 10 : 1 << 20])));
        await().atMost(Waits.PATIENCE).until(() -> peers.serverResources().buffers().waiters() == 1);
        settle();
        assertThat(kept).hasSize(6);
        assertThat(all).isNotDone();

        for (int i = 0; i < 12; i++) {
            take(kept).release();
        }
        Waits.get(all);
        sent.assertDone();
    }

    @Test
    void sendThatWasNeverAddedTakesNoMemoryFromAnother() {
        peers = Peers.connect(route, resources -> resources.maxBufferBytes(BufferPool.SLAB_BYTES), server -> server,
                client -> client);
        CompletableFuture<byte[]> received = peers.served().inbound().receiveByteArrays().next().toFuture();
        UcxBuffer all = peers.clientResources().buffers().acquire(BufferPool.SLAB_BYTES);
        PendingOperation sent = PendingOperation.of(peers.client().outbound()
                .sendByteArrays(Mono.just(new byte[100_000])));
        await().atMost(Waits.PATIENCE).until(() -> peers.clientResources().buffers().waiters() == 1);

        // Cancelled before the engine has added them.
        for (int i = 0; i < 20; i++) {
            peers.client().outbound().sendByteArrays(Mono.never()).subscribe().dispose();
        }
        peers.client().flush().block(Waits.PATIENCE);
        all.release();

        sent.assertDone();
        assertThat(Waits.get(received)).hasSize(100_000);
    }

    private static UcxBuffer take(BlockingQueue<UcxBuffer> from) {
        try {
            return Objects.requireNonNull(from.poll(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS), "nothing came");
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void closeWaitsUntilThePeerHasRequestedTheQueuedMessages() {
        connect();
        ManualSubscriber subscriber = subscriber();
        PendingOperation sent = PendingOperation.of(Mono.when(peers.client().outbound()
                .sendByteArrays(Flux.just(new byte[1])),
                peers.client().outbound().sendByteArrays(Flux.just(new byte[2]))));
        // Both sends are subscribed when the first demand comes, so that both queue a message.
        Waits.engineOf(peers.client());
        subscriber.request(1);
        await().atMost(Waits.PATIENCE).untilAsserted(() -> assertThat(subscriber.received).hasValue(1));
        subscriber.request(5);
        peers.client().close().block(Waits.PATIENCE);

        Waits.get(subscriber.end);
        assertThat(subscriber.received).hasValue(2);
        sent.assertDone();
    }

    @Test
    void cancelOfTheSendThatACloseWaitsForEndsTheClose() {
        // Longer than this test waits: the close has to end with LAST, not with its timeout.
        connect(server -> server, client -> client.closeTimeout(Waits.PATIENCE.multipliedBy(3)));
        ManualSubscriber subscriber = subscriber();
        Disposable sends = Mono.when(peers.client().outbound().sendByteArrays(Flux.just(new byte[1])),
                peers.client().outbound().sendByteArrays(Flux.just(new byte[2]))).subscribe();
        Waits.engineOf(peers.client());
        subscriber.request(1);
        await().atMost(Waits.PATIENCE).untilAsserted(() -> assertThat(subscriber.received).hasValue(1));
        CompletableFuture<Void> closed = peers.client().close().toFuture();
        Waits.engineOf(peers.client());
        assertThat(closed).as("the second message was taken").isNotDone();

        sends.dispose();

        Waits.get(closed);
        assertThat(subscriber.received).hasValue(1);
    }

    @Test
    void lossEndsBothDirectionsWithAnError() {
        connect();
        ManualSubscriber subscriber = subscriber();
        subscriber.request(1000);
        CompletableFuture<byte[]> here = peers.client().inbound().receiveByteArrays().next().toFuture();
        PendingOperation sent = PendingOperation.of(peers.client().outbound().send(Flux.range(0, 100_000)
                .map(i -> peers.clientResources().buffers().acquire(10 + 20_000 * (i % 2)))));
        await().atMost(Waits.PATIENCE).until(() -> subscriber.received.get() == 1000);

        peers.served().close(CloseMode.FORCE).block(Waits.PATIENCE);

        assertThat(Waits.failure(here)).isInstanceOf(UcxException.class);
        assertThat(sent.failure()).isInstanceOf(UcxException.class);
        peers.client().onDispose().block(Waits.PATIENCE);
    }
}
