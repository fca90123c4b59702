package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactorucx.core.MemoryDescriptor;
import io.reactorucx.core.UcpMemory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.test.StepVerifier;

/** Put and get on both kinds of memory, over every route. */
@Tag("slow")
class RemoteMemoryContractTest extends SharedPeers {

    private final List<UcpMemory> exported = new ArrayList<>();
    private final List<RemoteMemory> opened = new ArrayList<>();

    /** Whose memory a window is. */
    enum Kind { ALLOCATED_BY_UCX, REGISTERED_BY_CALLER }

    private UcpMemory export(Kind kind, long size) {
        UcxResources owner = peers.serverResources();
        UcpMemory memory = kind == Kind.ALLOCATED_BY_UCX ? owner.allocateMemory(size)
                : owner.registerMemory(Bytes.zeroed(size));
        exported.add(memory);
        return memory;
    }

    private RemoteMemory open(UcpMemory memory) {
        RemoteMemory remote = peers.client().memory(MemoryDescriptor.fromBytes(memory.descriptor().toBytes()));
        opened.add(remote);
        return remote;
    }

    @AfterEach
    void closeMemory() {
        peers.client().flush().block(Waits.PATIENCE);
        opened.forEach(RemoteMemory::close);
        Waits.engineOf(peers.client());
        exported.forEach(UcpMemory::close);
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void ownerSeesWhatWasPutAfterTheFlush(Kind kind) {
        UcpMemory memory = export(kind, 3 * Bytes.MIB);
        RemoteMemory remote = open(memory);
        assertThat(remote.length()).isEqualTo(3 * Bytes.MIB);
        MemorySegment source = Bytes.pattern(1, Bytes.MIB + 3);

        remote.put(0, source.asSlice(0, 1)).then(remote.put(77_777, source)).then(remote.flush()).block(Waits.PATIENCE);

        Bytes.assertSame(memory.segment().asSlice(77_777, Bytes.MIB + 3), source);
        assertThat(Bytes.array(memory.segment().asSlice(0, 1))).isEqualTo(Bytes.array(source.asSlice(0, 1)));
        Bytes.assertSame(memory.segment().asSlice(1, 77_776), Bytes.zeroed(77_776));
        long behind = 77_777 + Bytes.MIB + 3;
        Bytes.assertSame(memory.segment().asSlice(behind), Bytes.zeroed(3 * Bytes.MIB - behind));
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void flushOfTheConnectionCoversPuts(Kind kind) {
        UcpMemory memory = export(kind, 100);
        RemoteMemory remote = open(memory);

        remote.put(50, Bytes.pattern(2, 50)).then(peers.client().flush()).block(Waits.PATIENCE);

        Bytes.assertSame(memory.segment().asSlice(50), Bytes.pattern(2, 50));
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void getReadsIntoCallersMemory(Kind kind) {
        UcpMemory memory = export(kind, 2 * Bytes.MIB);
        Bytes.fill(memory.segment(), 3);
        RemoteMemory remote = open(memory);
        for (long size : new long[] {1, 8, 8 * Bytes.KIB, Bytes.MIB + 1}) {
            MemorySegment destination = Bytes.zeroed(size);

            MemorySegment read = Objects.requireNonNull(remote.get(4_321, destination).block(Waits.PATIENCE));

            assertThat(read.address()).isEqualTo(destination.address());
            Bytes.assertSame(read, memory.segment().asSlice(4_321, size));
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void allOfALargeWindowIsWrittenAndRead(Kind kind) {
        long size = 64L * Bytes.MIB;
        UcpMemory memory = export(kind, size);
        RemoteMemory remote = open(memory);
        MemorySegment source = Bytes.pattern(4, size);

        remote.put(0, source).then(remote.flush()).block(Waits.PATIENCE);
        Bytes.assertSame(memory.segment(), source);
        Bytes.assertSame(Objects.requireNonNull(remote.get(0, Bytes.zeroed(size)).block(Waits.PATIENCE)), source);
    }

    @ParameterizedTest
    @CsvSource({"ALLOCATED_BY_UCX, 65536, 1", "ALLOCATED_BY_UCX, 65536, 4", "ALLOCATED_BY_UCX, 70001, 3",
        "REGISTERED_BY_CALLER, 65536, 4", "REGISTERED_BY_CALLER, 70001, 1", "REGISTERED_BY_CALLER, 10000000, 2"})
    void chunksComeInOrderAndCoverAll(Kind kind, int chunkBytes, int prefetch) {
        UcpMemory memory = export(kind, Bytes.MIB);
        Bytes.fill(memory.segment(), 5);
        List<Long> sizes = new ArrayList<>();
        long[] position = {0};

        open(memory).getFlux(chunkBytes, prefetch).doOnNext(chunk -> {
            Bytes.assertSame(chunk.segment(), memory.segment().asSlice(position[0], chunk.length()));
            position[0] += chunk.length();
            sizes.add(chunk.length());
            chunk.release();
        }).blockLast(Waits.PATIENCE);

        assertThat(position[0]).isEqualTo(Bytes.MIB);
        assertThat(sizes).hasSize((Bytes.MIB + chunkBytes - 1) / chunkBytes);
        assertThat(sizes.subList(0, sizes.size() - 1)).allMatch(size -> size == chunkBytes);
    }

    @Test
    void partIsReadInChunks() {
        UcpMemory memory = export(Kind.ALLOCATED_BY_UCX, Bytes.MIB);
        Bytes.fill(memory.segment(), 6);

        StepVerifier.create(open(memory).getFlux(1000, 2500, 1000, 2).map(chunk -> {
            byte[] read = Bytes.array(chunk.segment());
            chunk.release();
            return MemorySegment.ofArray(read);
        })).assertNext(read -> Bytes.assertSame(read, memory.segment().asSlice(1000, 1000)))
                .assertNext(read -> Bytes.assertSame(read, memory.segment().asSlice(2000, 1000)))
                .assertNext(read -> Bytes.assertSame(read, memory.segment().asSlice(3000, 500)))
                .expectComplete().verify(Waits.PATIENCE);
    }

    @Test
    void nothingIsReadOfAnEmptyPart() {
        RemoteMemory remote = open(export(Kind.REGISTERED_BY_CALLER, 100));

        StepVerifier.create(remote.getFlux(100, 0, 10, 1)).expectComplete().verify(Waits.PATIENCE);
        assertThat(Objects.requireNonNull(remote.get(100, Bytes.zeroed(0)).block(Waits.PATIENCE)).byteSize()).isZero();
        remote.put(0, Bytes.zeroed(0)).then(remote.flush()).block(Waits.PATIENCE);
    }

    @Test
    void windowOnAPartReachesThatPartOnly() {
        UcpMemory memory = export(Kind.ALLOCATED_BY_UCX, 1000);
        RemoteMemory remote = peers.client().memory(memory.descriptor(100, 50));
        opened.add(remote);

        assertThat(remote.length()).isEqualTo(50);
        remote.put(0, Bytes.pattern(7, 50)).then(remote.flush()).block(Waits.PATIENCE);

        Bytes.assertSame(memory.segment().asSlice(100, 50), Bytes.pattern(7, 50));
        Bytes.assertSame(memory.segment().asSlice(150), Bytes.zeroed(850));
        assertThatThrownBy(() -> remote.put(1, Bytes.pattern(7, 50))).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void closedMemoryIsRefusedAndTheConnectionGoesOn() {
        RemoteMemory remote = open(export(Kind.ALLOCATED_BY_UCX, 100));
        remote.get(0, Bytes.zeroed(10)).block(Waits.PATIENCE);
        remote.close();
        remote.close();

        StepVerifier.create(remote.get(0, Bytes.zeroed(10))).expectError(IllegalStateException.class)
                .verify(Waits.PATIENCE);
        peers.assertWorks();
    }
}
