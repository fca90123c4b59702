package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.MemoryDescriptor;
import io.reactorucx.core.UcpCapability;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.core.UcpSupport;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** Atomic operations on a peer's memory, over every route. */
class RemoteAtomicsContractTest extends SharedPeers {

    private static final long BEFORE = 0x0F0F_1234_0F0F_5678L;
    private static final long OPERAND = 0x00FF_00FF_00FF_FFFFL;

    private UcpMemory memory;
    private RemoteMemory remote;

    @BeforeEach
    void open() {
        UcpSupport support = peers.clientResources().context()
                .support(UcpCapability.ATOMICS_64, peers.client().errorMode());
        assumeTrue(support.isSupported(), support.reason());
        memory = peers.serverResources().registerMemory(Bytes.zeroed(64));
        remote = peers.client().memory(MemoryDescriptor.fromBytes(memory.descriptor().toBytes()));
    }

    @AfterEach
    void closeMemory() {
        if (remote == null) {
            return;
        }
        remote.close();
        Waits.engineOf(peers.client());
        memory.close();
    }

    private void store(long value) {
        memory.segment().set(ValueLayout.JAVA_LONG, 8, value);
    }

    private long loaded() {
        return memory.segment().get(ValueLayout.JAVA_LONG, 8);
    }

    private void assertChanges(Mono<Void> operation, long expected) {
        store(BEFORE);
        operation.then(remote.flush()).block(Waits.PATIENCE);
        assertThat(loaded()).isEqualTo(expected);
    }

    private void assertReturns(Mono<Long> operation, long expected) {
        store(BEFORE);
        assertThat(operation.block(Waits.PATIENCE)).isEqualTo(BEFORE);
        remote.flush().block(Waits.PATIENCE);
        assertThat(loaded()).isEqualTo(expected);
    }

    @Test
    void wordsOfEightBytesChange() {
        RemoteAtomics atomics = remote.atomics();
        assertChanges(atomics.add(8, OPERAND), BEFORE + OPERAND);
        assertChanges(atomics.and(8, OPERAND), BEFORE & OPERAND);
        assertChanges(atomics.or(8, OPERAND), BEFORE | OPERAND);
        assertChanges(atomics.xor(8, OPERAND), BEFORE ^ OPERAND);
        assertReturns(atomics.fetchAdd(8, OPERAND), BEFORE + OPERAND);
        assertReturns(atomics.fetchAnd(8, OPERAND), BEFORE & OPERAND);
        assertReturns(atomics.fetchOr(8, OPERAND), BEFORE | OPERAND);
        assertReturns(atomics.fetchXor(8, OPERAND), BEFORE ^ OPERAND);
        assertReturns(atomics.swap(8, OPERAND), OPERAND);
        assertReturns(atomics.compareAndSwap(8, BEFORE, OPERAND), OPERAND);
        assertReturns(atomics.compareAndSwap(8, BEFORE + 1, OPERAND), BEFORE);
    }

    @Test
    void wordsOfFourBytesChangeAndKeepTheirNeighbour() {
        RemoteAtomics atomics = remote.intAtomics();
        memory.segment().set(ValueLayout.JAVA_INT, 4, 77);
        memory.segment().set(ValueLayout.JAVA_INT, 0, -5);
        assertThat(atomics.fetchAdd(0, 3).block(Waits.PATIENCE)).isEqualTo(-5);
        assertThat(atomics.swap(0, Integer.MAX_VALUE).block(Waits.PATIENCE)).isEqualTo(-2);
        assertThat(atomics.compareAndSwap(0, Integer.MAX_VALUE, 0x0FF0).block(Waits.PATIENCE))
                .isEqualTo(Integer.MAX_VALUE);
        assertThat(atomics.fetchAnd(0, 0x00FF).block(Waits.PATIENCE)).isEqualTo(0x0FF0);
        atomics.or(0, 0x0F).then(atomics.xor(0, 1)).then(atomics.add(0, 1)).then(remote.flush()).block(Waits.PATIENCE);
        assertThat(memory.segment().get(ValueLayout.JAVA_INT, 0)).isEqualTo(0xFF);
        assertThat(memory.segment().get(ValueLayout.JAVA_INT, 4)).isEqualTo(77);
    }

    @Test
    void everyOneOfManyAtOnceCounts() {
        store(0);
        RemoteAtomics atomics = remote.atomics();
        Flux.range(0, 500).flatMap(i -> i % 2 == 0 ? atomics.fetchAdd(8, 1) : atomics.add(8, 1).thenReturn(0L), 32)
                .then(remote.flush()).block(Waits.PATIENCE);
        assertThat(loaded()).isEqualTo(500);
    }

    @Test
    void wordOutsideOrOutOfPlaceIsRefused() {
        assertThatThrownBy(() -> remote.atomics().add(60, 1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> remote.intAtomics().swap(64, 1)).isInstanceOf(IndexOutOfBoundsException.class);
        StepVerifier.create(remote.atomics().fetchAdd(4, 1)).expectError(IllegalArgumentException.class)
                .verify(Waits.PATIENCE);
        StepVerifier.create(remote.intAtomics().add(2, 1)).expectError(IllegalArgumentException.class)
                .verify(Waits.PATIENCE);
        peers.assertWorks();
    }

    @Test
    void fenceOrdersWritesOfAConnection() {
        for (int i = 1; i <= 20; i++) {
            remote.put(0, Bytes.pattern(i, 8)).then(peers.client().fence()).block(Waits.PATIENCE);
        }
        remote.flush().block(Waits.PATIENCE);
        Bytes.assertSame(memory.segment().asSlice(0, 8), Bytes.pattern(20, 8));
    }
}
