package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.buffer.UcxBufferPool;
import io.reactorucx.core.Ucx;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.core.error.UcxUnsupportedException;
import io.reactorucx.engine.ProgressEngine;
import io.reactorucx.internal.frame.WindowKey;
import io.reactorucx.memory.MemoryPath;
import io.reactorucx.memory.MemoryRight;
import io.reactorucx.memory.UcxMemoryWindow;
import io.reactorucx.memory.WindowDescriptor;
import io.reactorucx.testsupport.NoLeaks;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/**
 * Windows that are served: put, get and atomic operations with UCX's own remote access off on both sides, over every
 * route of two peers.
 */
@Tag("slow")
@ExtendWith(NoLeaks.class)
@ParameterizedClass(name = "{0}")
@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SELF")
class ServedMemoryContractTest implements NeedsUcx {

    private static final Set<MemoryRight> ALL = EnumSet.allOf(MemoryRight.class);
    private static final long BEFORE = 0x0F0F_1234_0F0F_5678L;
    private static final long OPERAND = 0x00FF_00FF_00FF_FFFFL;

    private static Peers peers;

    private final List<UcxMemoryWindow> exported = new ArrayList<>();

    @Parameter
    private Route route;

    @BeforeParameterizedClassInvocation
    static void connect(Route over) {
        peers = Ucx.isAvailable() ? Peers.connect(over, builder -> builder.remoteMemoryAccess(false)
                .remoteAtomics(false),
                server -> server, client -> client) : null;
    }

    @AfterParameterizedClassInvocation
    static void close() {
        if (peers != null) {
            peers.close();
        }
    }

    @BeforeEach
    void isConnected() {
        assumeUcx();
        assertThat(peers.client().isDisposed()).isFalse();
    }

    @AfterEach
    void nothingIsLeftOver() {
        exported.forEach(window -> window.revoke().block(Waits.PATIENCE));
        for (UcxResources resources : List.of(peers.clientResources(), peers.serverResources())) {
            Waits.soon().untilAsserted(() -> {
                assertThat(resources.buffers().leases()).as("leases").isZero();
                assertThat(resources.servedMemory().windows()).as("windows").isZero();
                assertThat(resources.context().registeredBytes()).as("registered")
                        .isEqualTo(resources.buffers().slabBytes());
                for (ProgressEngine engine : resources.engines()) {
                    assertThat(engine.counters().inFlight()).as("operations in flight").isZero();
                    assertThat(engine.counters().heldMessages()).as("held messages").isZero();
                }
            });
        }
    }

    private RemoteMemory open(MemorySegment memory, Set<MemoryRight> rights) {
        UcxMemoryWindow window = peers.serverResources().exportMemory(memory, rights);
        exported.add(window);
        return peers.client().memory(WindowDescriptor.fromBytes(window.descriptor().toBytes()));
    }

    private static void assertRefused(Mono<?> operation, UcxStatus status) {
        assertThatThrownBy(() -> operation.block(Waits.PATIENCE)).isInstanceOfSatisfying(UcxException.class, error -> {
            assertThat(error.status()).isEqualTo(status);
            assertThat(error.peer()).isEqualTo(peers.client().peer());
        });
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 8, 8 * Bytes.KIB, 100 * Bytes.KIB + 1, Bytes.MIB, 64L * Bytes.MIB})
    void whatIsPutIsThereAndComesBack(long size) {
        MemorySegment memory = Bytes.zeroed(size + 100);
        RemoteMemory remote = open(memory, ALL);
        MemorySegment source = Bytes.pattern(1, size);
        assertThat(remote.length()).isEqualTo(size + 100);
        assertThat(remote.path().block(Waits.PATIENCE)).isEqualTo(MemoryPath.SERVED);

        remote.put(33, source).block(Waits.PATIENCE);
        Bytes.assertSame(memory.asSlice(33, size), source);
        Bytes.assertSame(memory.asSlice(0, 33), Bytes.zeroed(33));
        Bytes.assertSame(memory.asSlice(33 + size), Bytes.zeroed(67));
        MemorySegment destination = Bytes.zeroed(size);
        MemorySegment read = Objects.requireNonNull(remote.get(33, destination).block(Waits.PATIENCE));
        assertThat(read.address()).isEqualTo(destination.address());
        Bytes.assertSame(read, source);
    }

    @Test
    void memoryThatUcxAllocatedIsServed() {
        try (var memory = peers.serverResources().allocateMemory(3L * Bytes.MIB)) {
            UcxMemoryWindow window = peers.serverResources().exportMemory(memory, ALL);
            assertThat(window.descriptor().oneSided()).as("remote memory access is off").isEmpty();
            RemoteMemory remote = peers.client().memory(window.descriptor());
            MemorySegment source = Bytes.pattern(2, 3L * Bytes.MIB);
            remote.put(0, source).block(Waits.PATIENCE);
            Bytes.assertSame(memory.segment(), source);
            Bytes.assertSame(Objects.requireNonNull(remote.get(7, Bytes.zeroed(10)).block(Waits.PATIENCE)),
                    source.asSlice(7, 10));
            window.revoke().block(Waits.PATIENCE);
        }
    }

    @Test
    void bothSidesOfAConnectionExport() {
        MemorySegment memory = Bytes.pattern(3, 100_000);
        UcxMemoryWindow window = peers.clientResources().exportMemory(memory, ALL);
        exported.add(window);

        RemoteMemory remote = peers.served().memory(window.descriptor());

        Bytes.assertSame(Objects.requireNonNull(remote.get(0, Bytes.zeroed(100_000)).block(Waits.PATIENCE)), memory);
    }

    @Test
    void leasesArePutAndGot() {
        RemoteMemory remote = open(Bytes.zeroed(Bytes.MIB), ALL);
        UcxBufferPool pool = peers.clientResources().buffers();
        UcxBuffer lease = pool.acquire(Bytes.MIB);
        Bytes.fill(lease.segment(), 4);

        Mono<Void> put = remote.put(0, lease);
        put.block(Waits.PATIENCE);
        lease.release();
        assertThatThrownBy(() -> put.block(Waits.PATIENCE)).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("released");

        long[] position = {0};
        MemorySegment expected = Bytes.pattern(4, Bytes.MIB);
        remote.getFlux(70_001, 3).doOnNext(chunk -> {
            Bytes.assertSame(chunk.segment(), expected.asSlice(position[0], chunk.length()));
            position[0] += chunk.length();
            chunk.release();
        }).blockLast(Waits.PATIENCE);
        assertThat(position[0]).isEqualTo(Bytes.MIB);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4, 100})
    void leasesOfAFluxArePutOneBehindTheOther(int prefetch) {
        MemorySegment memory = Bytes.zeroed(2L * Bytes.MIB);
        RemoteMemory remote = open(memory, ALL);
        UcxBufferPool pool = peers.clientResources().buffers();
        MemorySegment content = Bytes.pattern(5, 20 * 50_001);

        Long written = remote.putFlux(17, Flux.range(0, 20).map(i -> {
            UcxBuffer lease = pool.acquire(50_001);
            lease.segment().copyFrom(content.asSlice(i * 50_001L, 50_001));
            return lease;
        }), prefetch).block(Waits.PATIENCE);

        assertThat(written).isEqualTo(20 * 50_001);
        Bytes.assertSame(memory.asSlice(17, 20 * 50_001), content);
    }

    @Test
    void leasesOfAFluxGoBackWhenOneDoesNotFitOrTheSourceFails() {
        RemoteMemory remote = open(Bytes.zeroed(10_000), ALL);
        UcxBufferPool pool = peers.clientResources().buffers();
        Flux<UcxBuffer> leases = Flux.range(0, 10).map(i -> pool.acquire(1001));

        StepVerifier.create(remote.putFlux(0, leases, 2)).expectError(IndexOutOfBoundsException.class)
                .verify(Waits.PATIENCE);
        StepVerifier.create(remote.putFlux(0, leases.take(3)
                .concatWith(Mono.error(new IllegalStateException("source"))), 2))
                .expectErrorMessage("source").verify(Waits.PATIENCE);
        StepVerifier.create(remote.putFlux(0, leases.take(3).concatWith(Mono.never()), 2), 1)
                .thenAwait().thenCancel().verify(Waits.PATIENCE);
        assertThat(remote.putFlux(0, leases.take(2), 2).block(Waits.PATIENCE)).isEqualTo(2002);
    }

    private void assertReturns(MemorySegment memory, Mono<Long> operation, long expected) {
        memory.set(ValueLayout.JAVA_LONG, 8, BEFORE);
        assertThat(operation.block(Waits.PATIENCE)).isEqualTo(BEFORE);
        assertThat(memory.get(ValueLayout.JAVA_LONG, 8)).isEqualTo(expected);
    }

    private void assertChanges(MemorySegment memory, Mono<Void> operation, long expected) {
        memory.set(ValueLayout.JAVA_LONG, 8, BEFORE);
        operation.block(Waits.PATIENCE);
        assertThat(memory.get(ValueLayout.JAVA_LONG, 8)).isEqualTo(expected);
    }

    @Test
    void wordsOfEightBytesChange() {
        MemorySegment memory = Bytes.zeroed(16);
        RemoteAtomics atomics = open(memory, Set.of(MemoryRight.ATOMIC)).atomics();
        assertChanges(memory, atomics.add(8, OPERAND), BEFORE + OPERAND);
        assertChanges(memory, atomics.and(8, OPERAND), BEFORE & OPERAND);
        assertChanges(memory, atomics.or(8, OPERAND), BEFORE | OPERAND);
        assertChanges(memory, atomics.xor(8, OPERAND), BEFORE ^ OPERAND);
        assertReturns(memory, atomics.fetchAdd(8, OPERAND), BEFORE + OPERAND);
        assertReturns(memory, atomics.fetchAnd(8, OPERAND), BEFORE & OPERAND);
        assertReturns(memory, atomics.fetchOr(8, OPERAND), BEFORE | OPERAND);
        assertReturns(memory, atomics.fetchXor(8, OPERAND), BEFORE ^ OPERAND);
        assertReturns(memory, atomics.swap(8, OPERAND), OPERAND);
        assertReturns(memory, atomics.compareAndSwap(8, BEFORE, OPERAND), OPERAND);
        assertReturns(memory, atomics.compareAndSwap(8, BEFORE + 1, OPERAND), BEFORE);
    }

    @Test
    void wordsOfFourBytesChangeAndKeepTheirNeighbour() {
        MemorySegment memory = Bytes.zeroed(8);
        RemoteAtomics atomics = open(memory, ALL).intAtomics();
        memory.set(ValueLayout.JAVA_INT, 4, 77);
        memory.set(ValueLayout.JAVA_INT, 0, -5);
        assertThat(atomics.fetchAdd(0, 3).block(Waits.PATIENCE)).isEqualTo(-5);
        assertThat(atomics.swap(0, Integer.MAX_VALUE).block(Waits.PATIENCE)).isEqualTo(-2);
        assertThat(atomics.compareAndSwap(0, Integer.MAX_VALUE, 0x0FF0).block(Waits.PATIENCE))
                .isEqualTo(Integer.MAX_VALUE);
        assertThat(atomics.fetchAnd(0, 0x00FF).block(Waits.PATIENCE)).isEqualTo(0x0FF0);
        atomics.or(0, 0x0F).then(atomics.xor(0, 1)).then(atomics.add(0, 1)).block(Waits.PATIENCE);
        assertThat(memory.get(ValueLayout.JAVA_INT, 0)).isEqualTo(0xFF);
        assertThat(memory.get(ValueLayout.JAVA_INT, 4)).isEqualTo(77);
    }

    @Test
    void atomicsOfPeersAndOfTheOwnersThreadsMix() throws InterruptedException {
        MemorySegment memory = Bytes.zeroed(8);
        RemoteAtomics atomics = open(memory, ALL).atomics();
        var word = ValueLayout.JAVA_LONG.varHandle();
        Thread local = Thread.ofPlatform().start(() -> {
            for (int i = 0; i < 20_000; i++) {
                word.getAndAdd(memory, 0L, 1L);
            }
        });

        Flux.range(0, 1000).flatMap(i -> i % 2 == 0 ? atomics.fetchAdd(0, 1) : atomics.add(0, 1).thenReturn(0L), 300)
                .blockLast(Waits.PATIENCE);
        local.join();

        assertThat((long) word.getVolatile(memory, 0L)).isEqualTo(21_000);
    }

    @Test
    void wordThatIsNotAlignedInTheOwnersMemoryIsRefused() {
        RemoteMemory aligned = open(Bytes.zeroed(64), ALL);
        assertRefused(aligned.atomics().fetchAdd(4, 1), UcxStatus.INVALID_PARAM);
        assertRefused(aligned.intAtomics().add(2, 1), UcxStatus.INVALID_PARAM);
        RemoteMemory shifted = open(Bytes.zeroed(64).asSlice(4), ALL);
        assertRefused(shifted.atomics().add(8, 1), UcxStatus.INVALID_PARAM);
        assertThat(shifted.atomics().fetchAdd(4, 1).block(Waits.PATIENCE)).isZero();
        assertThatThrownBy(() -> aligned.atomics().add(60, 1)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    static Stream<Set<MemoryRight>> rights() {
        return IntStream.rangeClosed(1, 7).mapToObj(bits -> Stream.of(MemoryRight.values())
                .filter(right -> (bits & 1 << right.ordinal()) != 0).collect(Collectors.toSet()));
    }

    @ParameterizedTest
    @MethodSource("rights")
    void onlyWhatTheRightsGiveIsDone(Set<MemoryRight> rights) {
        for (long size : new long[] {0, 16, Bytes.MIB}) {
            MemorySegment memory = Bytes.pattern(6, Bytes.MIB);
            RemoteMemory remote = open(memory, rights);
            MemorySegment destination = Bytes.zeroed(size);
            Mono<?> get = remote.get(0, destination);
            Mono<?> put = remote.put(0, Bytes.pattern(7, size));
            if (rights.contains(MemoryRight.READ)) {
                get.block(Waits.PATIENCE);
                Bytes.assertSame(destination, memory.asSlice(0, size));
            } else {
                assertRefused(get, UcxStatus.REJECTED);
                Bytes.assertSame(destination, Bytes.zeroed(size));
            }
            if (rights.contains(MemoryRight.WRITE)) {
                put.block(Waits.PATIENCE);
                Bytes.assertSame(memory.asSlice(0, size), Bytes.pattern(7, size));
            } else {
                assertRefused(put, UcxStatus.REJECTED);
                Bytes.assertSame(memory, Bytes.pattern(6, Bytes.MIB));
            }
            long word = memory.get(ValueLayout.JAVA_LONG, 0);
            Mono<Long> add = remote.atomics().fetchAdd(0, 1);
            if (rights.contains(MemoryRight.ATOMIC)) {
                assertThat(add.block(Waits.PATIENCE)).isEqualTo(word);
            } else {
                assertRefused(add, UcxStatus.REJECTED);
            }
            assertThat(memory.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(word
                    + (rights.contains(MemoryRight.ATOMIC) ? 1 : 0));
        }
        peers.assertWorks();
    }

    @Test
    void readOnlyMemoryIsRead() {
        MemorySegment memory = Bytes.pattern(8, Bytes.MIB);
        RemoteMemory remote = open(memory.asReadOnly(), Set.of(MemoryRight.READ));

        Bytes.assertSame(Objects.requireNonNull(remote.get(0, Bytes.zeroed(Bytes.MIB)).block(Waits.PATIENCE)), memory);
    }

    @Test
    void rangesOutsideAreRefusedBeforeTheyAreSentAndByTheOwner() {
        MemorySegment memory = Bytes.pattern(9, 200).asSlice(0, 100);
        RemoteMemory remote = open(memory, ALL);
        WindowDescriptor honest = exported.getFirst().descriptor();
        // A descriptor that promises more than there is gets past this side's check, as a peer without one would.
        RemoteMemory lying = peers.client().memory(Descriptors.of(WindowKey.of(honest), Long.MAX_VALUE,
                honest.rights()));
        for (long offset : new long[] {85, 100, 101, Long.MAX_VALUE - 16}) {
            assertThatThrownBy(() -> remote.get(offset, Bytes.zeroed(16)))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertRefused(lying.get(offset, Bytes.zeroed(16)), UcxStatus.OUT_OF_RANGE);
            assertRefused(lying.put(offset, Bytes.zeroed(16)), UcxStatus.OUT_OF_RANGE);
        }
        for (long offset : new long[] {96, 104, Long.MAX_VALUE - 15}) {
            assertRefused(lying.atomics().add(offset, 1), UcxStatus.OUT_OF_RANGE);
        }
        assertRefused(lying.put(0, Bytes.zeroed(Bytes.MIB)), UcxStatus.OUT_OF_RANGE);
        assertRefused(lying.get(0, Bytes.zeroed(Bytes.MIB)), UcxStatus.OUT_OF_RANGE);
        assertRefused(lying.get(101, Bytes.zeroed(0)), UcxStatus.OUT_OF_RANGE);
        lying.get(100, Bytes.zeroed(0)).then(lying.put(100, Bytes.zeroed(0))).block(Waits.PATIENCE);
        Bytes.assertSame(memory, Bytes.pattern(9, 200).asSlice(0, 100));
        peers.assertWorks();
    }

    @Test
    void peerWithoutTheKeyLearnsNothing() {
        open(Bytes.zeroed(100), ALL);
        WindowDescriptor honest = exported.getFirst().descriptor();
        WindowKey key = WindowKey.of(honest);
        RemoteMemory guessed = peers.client().memory(Descriptors.of(new WindowKey(key.high(), key.low() ^ 1), 100,
                ALL));

        assertRefused(guessed.get(0, Bytes.zeroed(10)), UcxStatus.INVALID_ADDR);
        assertRefused(guessed.put(0, Bytes.zeroed(Bytes.MIB).asSlice(0, 100)), UcxStatus.INVALID_ADDR);
        assertRefused(guessed.atomics().fetchAdd(0, 1), UcxStatus.INVALID_ADDR);
        assertThat(honest.toString()).doesNotContain(Long.toHexString(key.high()),
                Long.toString(key.high()));
    }

    @Test
    void windowOfOneConnectionIsRefusedToOthers() {
        MemorySegment memory = Bytes.pattern(10, 100);
        UcxConnection other = peers.connect();
        UcxConnection otherServed = peers.nextServed();
        UcxMemoryWindow window = otherServed.exportMemory(memory, ALL);

        assertRefused(peers.client().memory(window.descriptor()).get(0, Bytes.zeroed(10)), UcxStatus.INVALID_ADDR);
        Bytes.assertSame(Objects.requireNonNull(other.memory(window.descriptor()).get(0, Bytes.zeroed(100))
                .block(Waits.PATIENCE)), memory);
        other.close().block(Waits.PATIENCE);

        window.onDispose().block(Waits.PATIENCE);
        assertThat(window.isDisposed()).isTrue();
    }

    @Test
    void moreThanIsServedAtOnceWaitsItsTurn() {
        MemorySegment memory = Bytes.pattern(11, 4L * Bytes.MIB);
        RemoteMemory remote = open(memory, ALL);
        List<MemorySegment> destinations = Stream.generate(() -> Bytes.zeroed(10_000)).limit(400).toList();

        Flux.range(0, 400).flatMap(i -> remote.get(i * 10_000L, destinations.get(i)), 400).then(remote.flush())
                .block(Waits.PATIENCE);

        for (int i = 0; i < 400; i++) {
            Bytes.assertSame(destinations.get(i), memory.asSlice(i * 10_000L, 10_000));
        }
        assertThat(peers.serverResources().servedMemory().violations()).isZero();
    }

    @Test
    void flushWaitsForWhatWasBegunBefore() {
        MemorySegment memory = Bytes.zeroed(3L * Bytes.MIB);
        RemoteMemory remote = open(memory, ALL);
        for (int i = 1; i <= 10; i++) {
            MemorySegment source = Bytes.pattern(i, 3L * Bytes.MIB);
            PendingOperation put = PendingOperation.of(remote.put(0, source));
            peers.client().flush().block(Waits.PATIENCE);
            Bytes.assertSame(memory, source);
            put.assertDone();
        }
    }

    @Test
    void fenceOrdersWritesOfAConnection() {
        MemorySegment memory = Bytes.zeroed(Bytes.MIB);
        RemoteMemory remote = open(memory, ALL);
        List<PendingOperation> puts = new ArrayList<>();
        for (int i = 1; i <= 20; i++) {
            // The large ones are fetched, and would be overtaken.
            puts.add(PendingOperation.of(remote.put(0, Bytes.pattern(i, i % 2 == 0 ? 8 : Bytes.MIB))));
            peers.client().fence().block(Waits.PATIENCE);
        }
        remote.flush().block(Waits.PATIENCE);
        puts.forEach(PendingOperation::assertDone);
        Bytes.assertSame(memory.asSlice(0, 8), Bytes.pattern(20, 8));
        Bytes.assertSame(memory.asSlice(8), Bytes.pattern(19, Bytes.MIB).asSlice(8));
    }

    @Test
    void cancelledRequestsAreForgottenAndTheConnectionGoesOn() {
        MemorySegment memory = Bytes.pattern(12, Bytes.MIB);
        RemoteMemory remote = open(memory, ALL);
        List<PendingOperation> all = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            all.add(PendingOperation.of(remote.getFlux(100_000, 4).doOnNext(UcxBuffer::release).then()));
            all.add(PendingOperation.of(remote.put(0, memory)));
            all.add(PendingOperation.of(remote.atomics().add(0, 0)));
        }
        all.forEach(PendingOperation::cancel);

        remote.flush().block(Waits.PATIENCE);
        Bytes.assertSame(Objects.requireNonNull(remote.get(0, Bytes.zeroed(Bytes.MIB)).block(Waits.PATIENCE)), memory);
    }

    @Test
    void closedMemoryIsRefusedAndTheConnectionGoesOn() {
        RemoteMemory remote = open(Bytes.zeroed(100), ALL);
        remote.close();
        remote.close();

        StepVerifier.create(remote.get(0, Bytes.zeroed(10))).expectError(IllegalStateException.class)
                .verify(Waits.PATIENCE);
        peers.assertWorks();
    }

    @Test
    void oneSidedPathIsRefusedWhereTheOwnerDoesNotGiveIt() {
        open(Bytes.zeroed(100), ALL);
        assertThatThrownBy(() -> peers.client().memory(exported.getFirst().descriptor(), MemoryPath.ONE_SIDED))
                .isInstanceOf(UcxUnsupportedException.class).hasMessageContaining("remoteMemoryAccess");
    }
}
