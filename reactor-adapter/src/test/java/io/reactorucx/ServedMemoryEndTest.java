package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.buffer.UcxBufferPool;
import io.reactorucx.core.CloseMode;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.core.UcxArena;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.memory.MemoryRight;
import io.reactorucx.memory.ServedMemoryConfig;
import io.reactorucx.memory.ServedMemoryStatistics;
import io.reactorucx.memory.UcxMemoryWindow;
import io.reactorucx.metrics.UcxMetrics;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.testsupport.TestTime;
import io.reactorucx.transport.command.EngineExecutor;
import io.reactorucx.transport.metrics.UcxMeters;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * How windows, requests for them and the connections between them end: every signal ends, and the memory is free when
 * it is said to be.
 */
@Tag("slow")
@ExtendWith(NoLeaks.class)
@ParameterizedClass(name = "{0}")
@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SELF")
class ServedMemoryEndTest implements NeedsUcx {

    private static final Set<MemoryRight> ALL = EnumSet.allOf(MemoryRight.class);
    private static final ServedMemoryConfig LIMITS = ServedMemoryConfig.DEFAULT.withMaxWindows(3).withMaxRequests(8)
            .withMaxQueuedRequests(10).withRevokeTimeout(TestTime.millis(200));

    @Parameter
    private Route route;
    private Peers peers;
    private final CountDownLatch gate = new CountDownLatch(1);

    @BeforeEach
    void connect() {
        assumeUcx();
        connect(TestTime.seconds(1));
    }

    private void connect(Duration closeTimeoutOfClient) {
        peers = Peers.connect(route, builder -> builder.remoteMemoryAccess(false).remoteAtomics(false)
                .servedMemory(LIMITS),
                server -> server.closeTimeout(TestTime.seconds(1)), client ->
                client.closeTimeout(closeTimeoutOfClient));
    }

    /** The server's engine hangs: a close in good order waits in vain until its timeout, and so does one by force. */
    private void connectForACloseInVain() {
        peers.close();
        connect(TestTime.millis(200));
    }

    @AfterEach
    void close() {
        gate.countDown();
        if (peers != null) {
            peers.close();
        }
    }

    private UcxMemoryWindow export(MemorySegment memory) {
        return peers.serverResources().exportMemory(memory, ALL);
    }

    private RemoteMemory to(UcxMemoryWindow window) {
        return peers.client().memory(window.descriptor());
    }

    /** The server's engine does nothing until the gate opens. */
    private void hang() {
        CountDownLatch hanging = new CountDownLatch(1);
        new EngineExecutor(peers.serverResources().connecting().connections().getFirst().engine()).execute(() -> {
            hanging.countDown();
            try {
                gate.await(3 * Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        try {
            assertThat(hanging.await(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void nothingTouchesMemoryThatIsRevoked() {
        AtomicInteger refused = new AtomicInteger();
        for (int round = 0; round < 20; round++) {
            try (UcxArena arena = UcxArena.ofShared()) {
                MemorySegment memory = arena.allocate(2L * Bytes.MIB, 8);
                UcxMemoryWindow window = export(memory);
                RemoteMemory remote = to(window);
                MemorySegment source = Bytes.pattern(round, Bytes.MIB);
                PendingOperation traffic = PendingOperation.of(Flux.range(0, 200).flatMap(i -> switch (i % 4) {
                    case 0 -> remote.put(i, source).thenReturn(0L);
                    case 1 -> remote.get(i, Bytes.zeroed(Bytes.MIB)).thenReturn(0L);
                    case 2 -> remote.put(i, source.asSlice(0, 100)).thenReturn(0L);
                    default -> remote.atomics().fetchAdd(0, 1);
                }, 5).then().onErrorResume(UcxException.class, error -> {
                    refused.incrementAndGet();
                    return error.status() == UcxStatus.INVALID_ADDR ? Mono.empty() : Mono.error(error);
                }));
                remote.get(0, Bytes.zeroed(1)).block(Waits.PATIENCE);

                window.revoke().block(Waits.PATIENCE);
                memory.fill((byte) 0x5a);

                traffic.assertDone();
                assertThat(memory.mismatch(Bytes.zeroed(2L * Bytes.MIB).fill((byte) 0x5a))).isEqualTo(-1);
                assertThat(window.isDisposed()).isTrue();
            }
        }
        assertThat(refused.get()).as("rounds in which the revocation came amid").isPositive();
        assertThat(peers.client().isDisposed()).isFalse();
        peers.assertWorks();
        assertThat(peers.serverResources().servedMemory().windows()).isZero();
    }

    @Test
    void revokedWindowIsAsUnknownAsAnyOther() {
        UcxMemoryWindow window = export(Bytes.zeroed(100));
        window.revoke().block(Waits.PATIENCE);
        window.revoke().block(Waits.PATIENCE);
        window.dispose();

        assertThatThrownBy(() -> to(window).get(0, Bytes.zeroed(1)).block(Waits.PATIENCE))
                .isInstanceOfSatisfying(UcxException.class,
                    error -> assertThat(error.status()).isEqualTo(UcxStatus.INVALID_ADDR));
    }

    @Test
    void windowsAreBoundedAndCounted() {
        List<UcxMemoryWindow> windows = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            windows.add(export(Bytes.zeroed(100)));
        }
        assertThatThrownBy(() -> export(Bytes.zeroed(100))).isInstanceOfSatisfying(UcxException.class, error -> {
            assertThat(error.status()).isEqualTo(UcxStatus.EXCEEDS_LIMIT);
            assertThat(error).hasMessageContaining("3 windows");
        });
        windows.removeFirst().revoke().block(Waits.PATIENCE);
        windows.add(export(Bytes.zeroed(100)));

        ServedMemoryStatistics now = peers.serverResources().servedMemory();
        assertThat(List.of(now.windows(), now.maxWindows())).containsExactly(3, 3);
        assertThat(List.of(now.served(), now.refused(), now.bytes(), now.violations())).containsOnly(0L);
        // The others end with the resources.
        peers.close();
        windows.forEach(window -> window.onDispose().block(Waits.PATIENCE));
        assertThatThrownBy(() -> export(Bytes.zeroed(100))).isInstanceOf(UcxClosedException.class);
    }

    @Test
    void metersShowWhatWasServed() {
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        new UcxMetrics(peers.serverResources()).bindTo(meters);
        UcxMemoryWindow window = export(Bytes.zeroed(1000));
        RemoteMemory remote = to(window);
        remote.put(0, Bytes.zeroed(300)).then(remote.get(0, Bytes.zeroed(50))).then(remote.atomics().add(0, 1))
                .block(Waits.PATIENCE);
        PendingOperation.of(remote.atomics().add(1, 1)).failure();

        assertThat(value(meters, UcxMeters.MEMORY_WINDOWS)).isEqualTo(1);
        assertThat(value(meters, UcxMeters.MEMORY_WINDOW_LIMIT)).isEqualTo(3);
        await().atMost(Waits.PATIENCE).untilAsserted(() -> {
            assertThat(value(meters, UcxMeters.SERVED_REQUESTS, "outcome", "success")).isEqualTo(3);
            assertThat(value(meters, UcxMeters.SERVED_REQUESTS, "outcome", "error")).isEqualTo(1);
            assertThat(value(meters, UcxMeters.SERVED_BYTES)).isEqualTo(358);
        });
        assertThat(value(meters, UcxMeters.MEMORY_VIOLATIONS)).isZero();
        window.revoke().block(Waits.PATIENCE);
        assertThat(value(meters, UcxMeters.MEMORY_WINDOWS)).isZero();
    }

    private static double value(SimpleMeterRegistry meters, UcxMeters meter, String... tags) {
        return meters.get(meter.getName()).tags(tags).meters().stream()
                .mapToDouble(each -> each.measure().iterator().next().getValue()).sum();
    }

    @Test
    void requestsBeyondTheQueueAreRefusedAtOnce() {
        RemoteMemory remote = to(export(Bytes.zeroed(100)));
        hang();
        List<PendingOperation> waiting = new ArrayList<>();
        for (int i = 0; i < 18; i++) {
            waiting.add(PendingOperation.of(remote.get(0, Bytes.zeroed(10))));
        }
        PendingOperation tooMany = PendingOperation.of(remote.get(0, Bytes.zeroed(10)));

        assertThat(tooMany.failure()).isInstanceOfSatisfying(UcxException.class, error -> {
            assertThat(error.isRetryable()).isTrue();
            assertThat(error).hasMessageContaining("8 requests at once").hasMessageContaining("10 wait");
        });
        waiting.forEach(PendingOperation::assertPending);
        // One that is given up makes room for another.
        waiting.removeLast().cancel();
        Waits.engineOf(peers.client());
        waiting.add(PendingOperation.of(remote.get(0, Bytes.zeroed(10))));
        gate.countDown();
        waiting.forEach(PendingOperation::assertDone);
    }

    @ParameterizedTest
    @EnumSource(CloseMode.class)
    void everyRequestEndsWhenTheConnectionIsClosed(CloseMode mode) {
        connectForACloseInVain();
        RemoteMemory remote = to(export(Bytes.zeroed(4L * Bytes.MIB)));
        hang();
        List<PendingOperation> pending = pending(remote);

        PendingOperation closed = PendingOperation.of(peers.client().close(mode));

        pending.forEach(PendingOperation::failure);
        closed.assertDone();
        gate.countDown();
        await().atMost(Waits.PATIENCE).until(() -> peers.serverResources().openConnections() == 0);
    }

    @ParameterizedTest
    @EnumSource(CloseMode.class)
    void partsOfAFluxUnderWayEndItWithOneErrorAtTheClose(CloseMode mode) {
        connectForACloseInVain();
        RemoteMemory remote = to(export(Bytes.zeroed(4L * Bytes.MIB)));
        UcxBufferPool pool = peers.clientResources().buffers();
        hang();
        List<PendingOperation> parts = List.of(
                PendingOperation.of(remote.getFlux(Bytes.MIB / 2, 4).doOnNext(UcxBuffer::release).then()),
                PendingOperation.of(remote.putFlux(0, Flux.range(0, 8).map(i -> pool.acquire(1000)), 4)));
        Waits.engineOf(peers.client());
        parts.forEach(PendingOperation::assertPending);

        PendingOperation closed = PendingOperation.of(peers.client().close(mode));

        for (PendingOperation each : parts) {
            assertThat(each.failure()).isInstanceOf(UcxException.class)
                    .satisfies(error -> assertThat(Exceptions.isMultiple(error)).as("several in one").isFalse());
        }
        closed.assertDone();
        gate.countDown();
        await().atMost(Waits.PATIENCE).until(() -> peers.serverResources().openConnections() == 0);
    }

    private List<PendingOperation> pending(RemoteMemory remote) {
        UcxBufferPool pool = peers.clientResources().buffers();
        UcxBuffer lease = pool.acquire(Bytes.MIB);
        List<PendingOperation> pending = new ArrayList<>(List.of(PendingOperation.of(remote.get(0,
                Bytes.zeroed(Bytes.MIB))), PendingOperation.of(remote.get(0, Bytes.zeroed(8))),
                PendingOperation.of(remote.put(0, Bytes.pattern(1, Bytes.MIB))),
                PendingOperation.of(remote.put(0, Bytes.pattern(1, 8))), PendingOperation.of(remote.put(0, lease)),
                PendingOperation.of(remote.atomics().fetchAdd(0, 1)),
                PendingOperation.of(remote.getFlux(Bytes.MIB, 2).doOnNext(UcxBuffer::release).then()),
                PendingOperation.of(remote.putFlux(0, Flux.range(0, 4).map(i -> pool.acquire(1000)), 2)),
                PendingOperation.of(remote.flush()),
                PendingOperation.of(peers.client().flush())));
        lease.release();
        Waits.engineOf(peers.client());
        pending.forEach(PendingOperation::assertPending);
        return pending;
    }

    @Test
    void requestsUnderWayAreServedBeforeAnOwnerLeavesInGoodOrder() {
        MemorySegment memory = Bytes.pattern(1, 4L * Bytes.MIB);
        RemoteMemory remote = to(export(memory));
        List<PendingOperation> gets = new ArrayList<>();
        List<MemorySegment> destinations = new ArrayList<>();
        hang();
        for (int i = 0; i < 8; i++) {
            MemorySegment destination = Bytes.zeroed(memory.byteSize());
            destinations.add(destination);
            gets.add(PendingOperation.of(remote.get(0, destination)));
        }
        Waits.engineOf(peers.client());
        PendingOperation closed = PendingOperation.of(peers.client().close());
        gate.countDown();

        gets.forEach(PendingOperation::assertDone);
        closed.assertDone();
        destinations.forEach(destination -> Bytes.assertSame(destination, memory));
    }

    @Test
    void everyRequestEndsWhenTheOwnersConnectionIsClosedByForce() {
        RemoteMemory remote = to(export(Bytes.zeroed(4L * Bytes.MIB)));
        hang();
        List<PendingOperation> pending = pending(remote);

        PendingOperation closed = PendingOperation.of(peers.served().close(CloseMode.FORCE));
        gate.countDown();

        closed.assertDone();
        pending.forEach(PendingOperation::awaitEnd);
        peers.client().onDispose().block(Waits.PATIENCE);
    }

    @Test
    void memoryThatIsFreedUnderAWindowIsAnErrorOfTheRequest() {
        UcxMemoryWindow window;
        try (UcxArena arena = UcxArena.ofShared()) {
            window = peers.serverResources().exportMemory(arena.allocate(Bytes.MIB).asReadOnly(),
                    Set.of(MemoryRight.READ));
        }
        for (long size : new long[] {8, Bytes.MIB}) {
            assertThatThrownBy(() -> to(window).get(0, Bytes.zeroed(size)).block(Waits.PATIENCE))
                    .isInstanceOfSatisfying(UcxException.class, error -> assertThat(error.status())
                    .isEqualTo(UcxStatus.INVALID_ADDR));
        }
        UcpMemory registered = peers.serverResources().registerMemory(Bytes.zeroed(Bytes.MIB));
        UcxMemoryWindow onClosed = peers.serverResources().exportMemory(registered, ALL);
        registered.close();
        assertThatThrownBy(() -> to(onClosed).put(0, Bytes.zeroed(Bytes.MIB)).block(Waits.PATIENCE))
                .isInstanceOfSatisfying(UcxException.class, error -> assertThat(error.status())
                .isEqualTo(UcxStatus.INVALID_ADDR));
        peers.assertWorks();
    }

    @Test
    void resultsAreDeliveredWhereTheSubscriberAsksAgain() {
        RemoteMemory remote = to(export(Bytes.pattern(1, 100)));

        Long sum = remote.get(0, Bytes.zeroed(1)).repeat(100).count().block(Waits.PATIENCE);

        assertThat(Objects.requireNonNull(sum)).isEqualTo(101);
    }
}
