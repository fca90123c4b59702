package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.buffer.UcxBufferPool;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.transport.LeakDetection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;
import reactor.util.context.Context;

/** Subscribers wait for memory in order and bounded, and no lease is lost on the way. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class BufferWaitTest implements NeedsUcx {

    private static final long LIMIT = 8L * Bytes.MIB;
    /** More than there is address space for. */
    private static final long IMPOSSIBLE = 1L << 47;

    private UcxResources resources;
    private UcxBufferPool pool;

    private void open(int maxWaiters) {
        open(maxWaiters, LIMIT);
    }

    private void open(int maxWaiters, long limit) {
        resources = UcxResources.builder().transports("tcp").maxBufferBytes(limit).maxBufferWaiters(maxWaiters)
                .leakDetection(LeakDetection.DISABLED).build();
        pool = resources.buffers();
    }

    @AfterEach
    void close() {
        if (resources != null) {
            await().atMost(Waits.PATIENCE).untilAsserted(() -> assertThat(pool.leases()).isZero());
            assertThat(pool.waiters()).isZero();
            resources.disposeNow();
            assertThat(resources.context().isClosed()).isTrue();
        }
    }

    private List<UcxBuffer> leaseAll(long size) {
        List<UcxBuffer> leases = new ArrayList<>();
        for (long leased = 0; leased < LIMIT; leased += size) {
            leases.add(pool.acquire(size));
        }
        return leases;
    }

    @Test
    void memoryThatIsThereIsGivenAtOnce() {
        open(0);
        StepVerifier.create(pool.acquireLater(1000)).assertNext(lease -> {
            assertThat(lease.length()).isEqualTo(1000);
            lease.release();
        }).expectComplete().verify(Waits.PATIENCE);
        StepVerifier.create(pool.acquireLater(1000), 0).expectSubscription().thenCancel().verify(Waits.PATIENCE);
        assertThat(pool.leases()).isZero();
    }

    @Test
    void whoAskedFirstGetsTheNextThatComesBack() {
        open(10);
        List<UcxBuffer> all = leaseAll(Bytes.MIB);
        List<CompletableFuture<UcxBuffer>> waiting = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            waiting.add(pool.acquireLater(Bytes.MIB - i).toFuture());
        }
        assertThat(pool.waiters()).isEqualTo(5);
        for (int i = 0; i < 5; i++) {
            assertThat(waiting.get(i)).isNotDone();
            all.removeLast().release();
            assertThat(waiting.get(i)).isCompletedWithValueMatching(lease -> lease.length() > Bytes.MIB - 5);
            assertThat(Waits.get(waiting.get(i)).length()).isEqualTo(Bytes.MIB - i);
        }
        assertThat(pool.waiters()).isZero();
        waiting.forEach(each -> Waits.get(each).release());
        all.forEach(UcxBuffer::release);
    }

    @Test
    void whoFoundNoRoomForASlabThatCannotBeMadeIsServedAfterIt() throws InterruptedException {
        open(10, IMPOSSIBLE);
        for (int i = 0; i < 100; i++) {
            Thread other = Thread.ofPlatform().start(() -> assertThatThrownBy(() -> pool.acquire(IMPOSSIBLE))
                    .isInstanceOf(UcxException.class));
            CompletableFuture<UcxBuffer> waiting = pool.acquireLater(4096).toFuture();
            other.join();
            Waits.get(waiting).release();
        }
    }

    @Test
    void waiterThatMemoryCannotBeFoundForHearsSoAndTheNextIsServed() {
        open(10, IMPOSSIBLE);
        UcxBuffer small = pool.acquire(1);
        CompletableFuture<UcxBuffer> impossible = pool.acquireLater(IMPOSSIBLE).toFuture();
        CompletableFuture<UcxBuffer> next = pool.acquireLater(1).toFuture();
        assertThat(pool.waiters()).isEqualTo(2);

        small.release();

        assertThat(Waits.failure(impossible)).isInstanceOfSatisfying(UcxException.class,
                error -> assertThat(error.status()).isEqualTo(UcxStatus.NO_MEMORY));
        Waits.get(next).release();
    }

    @Test
    void whoLeavesWhileASlabIsMadeDoesNotStandInTheWay() throws InterruptedException {
        long large = 256L * Bytes.MIB;
        open(10, large + 2 * LIMIT);
        CompletableFuture<UcxBuffer> first = CompletableFuture.supplyAsync(() -> pool.acquire(large));
        await().atMost(Waits.PATIENCE).until(() -> pool.slabBytes() > 0 || first.isDone());
        BaseSubscriber<UcxBuffer> second = new BaseSubscriber<>() { };
        Thread waiting = Thread.ofPlatform().start(() -> pool.acquireLater(large).subscribe(second));
        await().atMost(Waits.PATIENCE).until(() -> waiting.getState() == Thread.State.WAITING || !waiting.isAlive());

        second.cancel();

        waiting.join();
        UcxBuffer lease = Waits.get(first);
        assertThat(pool.waiters()).isZero();
        Waits.get(pool.acquireLater(4096).toFuture()).release();
        lease.release();
    }

    @Test
    void smallOneWaitsBehindALargeOneUntilThatLeaves() {
        open(10);
        List<UcxBuffer> all = leaseAll(Bytes.MIB);
        Disposable large = pool.acquireLater(LIMIT).subscribe(UcxBuffer::release);
        CompletableFuture<UcxBuffer> small = pool.acquireLater(Bytes.MIB).toFuture();
        all.removeLast().release();
        assertThat(small).isNotDone();
        assertThat(pool.waiters()).isEqualTo(2);

        UcxBuffer overtaking = pool.acquire(Bytes.MIB);
        overtaking.release();
        large.dispose();
        Waits.get(small).release();
        assertThat(pool.waiters()).isZero();
        all.forEach(UcxBuffer::release);
    }

    @Test
    void largeOneGetsTheRoomOfManySmallOnes() {
        open(10);
        List<UcxBuffer> all = leaseAll(Bytes.MIB);
        CompletableFuture<UcxBuffer> large = pool.acquireLater(LIMIT).toFuture();
        all.forEach(UcxBuffer::release);
        Waits.get(large).release();
    }

    @Test
    void cancelEndsTheWait() {
        open(1);
        List<UcxBuffer> all = leaseAll(LIMIT);
        for (int i = 0; i < 3; i++) {
            Disposable waiting = pool.acquireLater(1).subscribe();
            assertThat(pool.waiters()).isEqualTo(1);
            waiting.dispose();
            assertThat(pool.waiters()).isZero();
        }
        StepVerifier.create(pool.acquireLater(1).timeout(Duration.ofMillis(5))).expectError(TimeoutException.class)
                .verify(Waits.PATIENCE);
        assertThat(pool.waiters()).isZero();
        all.forEach(UcxBuffer::release);
    }

    @Test
    void noMoreThanTheBoundWait() {
        open(2);
        List<UcxBuffer> all = leaseAll(LIMIT);
        List<CompletableFuture<UcxBuffer>> waiting = List.of(pool.acquireLater(1).toFuture(),
                pool.acquireLater(1).toFuture());
        StepVerifier.create(pool.acquireLater(77)).expectErrorSatisfies(error -> {
            assertThat(error).isInstanceOfSatisfying(UcxException.class, refused -> {
                assertThat(refused.status()).isEqualTo(UcxStatus.EXCEEDS_LIMIT);
                assertThat(refused.isRetryable()).isTrue();
            });
            assertThat(error).hasMessageContaining("77 bytes").hasMessageContaining("2 wait");
        }).verify(Waits.PATIENCE);
        all.forEach(UcxBuffer::release);
        waiting.forEach(each -> Waits.get(each).release());
        close();

        open(0);
        UcxBuffer whole = pool.acquire(LIMIT);
        StepVerifier.create(pool.acquireLater(1)).expectErrorSatisfies(error -> assertThat(error)
                .hasMessageContaining("0 wait"))
                .verify(Waits.PATIENCE);
        whole.release();
    }

    @Test
    void sizesThatCanNeverBeAreRefusedAtOnce() {
        open(2);
        for (long bytes : new long[] {-1, Long.MIN_VALUE, LIMIT + 1, Long.MAX_VALUE}) {
            assertThatThrownBy(() -> pool.acquireLater(bytes)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("bytes " + bytes);
        }
    }

    @Test
    void poolWithoutALimitRefusesWhatNoMemoryHas() {
        open(2, Long.MAX_VALUE);

        for (long bytes : new long[] {1L << 62, (1L << 62) + 1, Long.MAX_VALUE}) {
            assertThatThrownBy(() -> pool.acquire(bytes)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("bytes " + bytes);
        }
        pool.acquire(1).release();
    }

    @Test
    void closeEndsTheWait() {
        open(5);
        UcxBuffer all = pool.acquire(LIMIT);
        List<CompletableFuture<UcxBuffer>> waiting = List.of(pool.acquireLater(1).toFuture(),
                pool.acquireLater(LIMIT).toFuture());
        resources.disposeNow();
        waiting.forEach(each -> assertThat(Waits.failure(each)).isInstanceOf(UcxClosedException.class)
                .hasMessageContaining("pool"));
        StepVerifier.create(pool.acquireLater(1)).expectError(UcxClosedException.class).verify(Waits.PATIENCE);
        all.release();
    }

    @Test
    void waitersMayReleaseAndAskAgainWithinTheSignal() {
        open(10_000);
        List<UcxBuffer> all = leaseAll(LIMIT);
        AtomicInteger served = new AtomicInteger();
        for (int i = 0; i < 5000; i++) {
            pool.acquireLater(LIMIT).doOnNext(UcxBuffer::release).then(pool.acquireLater(LIMIT)).subscribe(lease -> {
                served.incrementAndGet();
                lease.release();
            });
        }
        all.forEach(UcxBuffer::release);
        assertThat(served.get()).isEqualTo(5000);
    }

    @Test
    void subscriberThatThrowsDoesNotBlockTheNextWaiter() {
        open(10);
        UcxBuffer all = pool.acquire(LIMIT);
        pool.acquireLater(LIMIT).subscribe(lease -> {
            lease.release();
            throw new LinkageError("on purpose");
        });
        CompletableFuture<UcxBuffer> next = pool.acquireLater(LIMIT).toFuture();
        all.release();
        Waits.get(next).release();
    }

    /** A lease that comes with the cancel goes back; one that the subscriber itself drops is told to Reactor's hook. */
    @Test
    void deliveryAndCancelMayRace() {
        open(4);
        AtomicInteger got = new AtomicInteger();
        for (int i = 0; i < 3000; i++) {
            UcxBuffer all = pool.acquire(LIMIT);
            Disposable waiting = pool.acquireLater(LIMIT).doOnDiscard(UcxBuffer.class, UcxBuffer::discard)
                    .subscribe(lease -> {
                        got.incrementAndGet();
                        lease.release();
                    }, error -> { }, () -> { }, Context.of("reactor.onNextDropped.local",
                    (Consumer<Object>) UcxBuffer::discard));
            CompletableFuture<Void> releasing = CompletableFuture.runAsync(() -> {
                spin();
                all.release();
            });
            spin();
            waiting.dispose();
            Waits.get(releasing);
            assertThat(pool.waiters()).isZero();
            await().atMost(Waits.PATIENCE).pollInterval(Duration.ofMillis(1)).pollDelay(Duration.ZERO)
                    .until(() -> pool.leases() == 0);
        }
        assertThat(got.get()).isBetween(0, 3000);
    }

    private static void spin() {
        for (int i = ThreadLocalRandom.current().nextInt(300); i > 0; i--) {
            Thread.onSpinWait();
        }
    }

    @Test
    void manyThreadsShareLittleMemory() {
        open(1000);
        AtomicInteger out = new AtomicInteger();
        Long served = Flux.range(0, 1500).flatMap(number ->
                Mono.defer(() -> pool.acquireLater(1 + (number % 3) * (long) Bytes.MIB))
                .subscribeOn(Schedulers.parallel()).publishOn(Schedulers.boundedElastic()).map(lease -> {
                    assertThat(out.incrementAndGet()).isLessThanOrEqualTo(
                            (int) (LIMIT / UcxBufferPool.MIN_BLOCK_BYTES));
                    lease.segment().fill(number.byteValue());
                    out.decrementAndGet();
                    lease.release();
                    return number;
                }), 100).count().block(Waits.PATIENCE);
        assertThat(served).isEqualTo(1500);
    }
}
