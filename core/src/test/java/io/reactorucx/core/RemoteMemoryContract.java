package io.reactorucx.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.core.error.UcxUnsupportedException;
import io.reactorucx.core.internal.memory.AddressSpace;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Puts and gets. */
abstract class RemoteMemoryContract extends LinkContract {

    private static final int SIZE = 100_000;
    /** Offered to the peer, not sent along: an operation that is in flight until the peer receives. */
    private static final int LARGE = 4 << 20;

    RemoteMemoryContract(Link link) {
        super(link);
    }

    /**
     * The owner of the peer's memory: UCX accesses memory that it allocated without the peer's help, and emulates
     * access to other memory.
     */
    enum Origin {
        REGISTERED {
            @Override
            UcpMemory in(UcpContext context, long bytes) {
                return context.register(Arena.ofAuto().allocate(bytes));
            }
        },
        ALLOCATED {
            @Override
            UcpMemory in(UcpContext context, long bytes) {
                return context.allocate(bytes);
            }
        };

        abstract UcpMemory in(UcpContext context, long bytes);
    }

    private UcpRemoteKey keyTo(MemoryDescriptor descriptor) {
        return pair.toServer.unpack(MemoryDescriptor.fromBytes(descriptor.toBytes()));
    }

    private void putAndFlush(MemorySegment source, UcpRemoteKey key, long offset) {
        pair.run(done -> pair.toServer.put(source, null, key, offset, done));
        pair.run(pair.toServer::flush);
    }

    @ParameterizedTest
    @CsvSource({"REGISTERED, 1", "REGISTERED, 128", "REGISTERED, 129", "REGISTERED, 8192", "REGISTERED, 4194304",
        "ALLOCATED, 1", "ALLOCATED, 128", "ALLOCATED, 129", "ALLOCATED, 8192", "ALLOCATED, 4194304"})
    void putsBytesWhereTheyBelong(Origin origin, int bytes) {
        try (UcpMemory memory = origin.in(pair.context, bytes + 2L); UcpRemoteKey key = keyTo(memory.descriptor())) {
            memory.segment().fill((byte) 0x55);
            MemorySegment payload = Pair.pattern(bytes);
            putAndFlush(payload, key, 1);
            assertThat(memory.segment().asSlice(1, bytes).mismatch(payload)).isEqualTo(-1);
            assertThat(memory.segment().get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 0x55);
            assertThat(memory.segment().get(ValueLayout.JAVA_BYTE, bytes + 1L)).isEqualTo((byte) 0x55);
        }
    }

    @ParameterizedTest
    @CsvSource({"REGISTERED, 1", "REGISTERED, 8192", "REGISTERED, 4194304", "ALLOCATED, 1", "ALLOCATED, 8192",
        "ALLOCATED, 4194304"})
    void getsBytesFromWhereTheyAre(Origin origin, int bytes) {
        try (UcpMemory memory = origin.in(pair.context, bytes + 7L); UcpRemoteKey key = keyTo(memory.descriptor())) {
            MemorySegment content = Pair.pattern(bytes + 7L);
            memory.segment().copyFrom(content);
            MemorySegment destination = Arena.ofAuto().allocate(bytes);
            pair.run(done -> pair.toServer.get(destination, null, key, 7, done));
            assertThat(destination.mismatch(content.asSlice(7))).isEqualTo(-1);
        }
    }

    /**
     * More than UCX sends before the peer makes progress: operations that wait there use neither the source nor the
     * caller's pin of the key.
     */
    @ParameterizedTest
    @EnumSource(Origin.class)
    void copiesSmallPutsBeforeCallReturns(Origin origin) {
        int puts = 1000;
        try (UcpMemory memory = origin.in(pair.context, puts * (long) Long.BYTES)) {
            List<Outcome> outcomes = new ArrayList<>();
            UcpRemoteKey key = keyTo(memory.descriptor());
            try (Arena own = Arena.ofConfined()) {
                MemorySegment source = own.allocate(ValueLayout.JAVA_LONG);
                for (int i = 0; i < puts; i++) {
                    long offset = i * (long) Long.BYTES;
                    source.set(ValueLayout.JAVA_LONG, 0, i + 1);
                    outcomes.add(Outcome.of(done -> pair.toServer.put(source, null, key, offset, done)));
                }
                source.fill((byte) 0x55);
            }
            key.close();
            outcomes.forEach(pair::awaitOk);
            pair.run(pair.toServer::flush);
            assertThat(memory.segment().toArray(ValueLayout.JAVA_LONG))
                    .isEqualTo(LongStream.rangeClosed(1, puts).toArray());
        }
    }

    @ParameterizedTest
    @EnumSource(Origin.class)
    void usesRegisteredMemoryOnThisSide(Origin origin) {
        try (UcpMemory memory = origin.in(pair.context, SIZE); UcpMemory local = origin.in(pair.context, SIZE);
                UcpRemoteKey key = keyTo(memory.descriptor())) {
            local.segment().copyFrom(Pair.pattern(SIZE));
            pair.run(done -> pair.toServer.put(local.segment(), local, key, 0, done));
            pair.run(pair.toServer::flush);
            assertThat(memory.segment().mismatch(local.segment())).isEqualTo(-1);
            local.segment().fill((byte) 0);
            pair.run(done -> pair.toServer.get(local.segment(), local, key, 0, done));
            assertThat(memory.segment().mismatch(local.segment())).isEqualTo(-1);
        }
    }

    @ParameterizedTest
    @EnumSource(Origin.class)
    void reachesOnlyTheWindowThatTheDescriptorOpens(Origin origin) {
        try (UcpMemory memory = origin.in(pair.context, SIZE); UcpRemoteKey key = keyTo(memory.descriptor(1000, 10))) {
            memory.segment().fill((byte) 0);
            MemorySegment payload = Pair.pattern(10).fill((byte) 9);
            putAndFlush(payload, key, 0);
            assertThat(memory.segment().asSlice(1000, 10).mismatch(payload)).isEqualTo(-1);
            assertThat(memory.segment().get(ValueLayout.JAVA_BYTE, 999)).isZero();
            assertThatThrownBy(() -> pair.toServer.put(payload, null, key, 1, new Outcome()))
                    .isInstanceOf(IndexOutOfBoundsException.class).hasMessageContaining("remote memory");
        }
    }

    @Test
    void putsAndGetsNothing() {
        try (UcpMemory memory = pair.context.allocate(10); UcpRemoteKey key = keyTo(memory.descriptor())) {
            pair.run(done -> pair.toServer.put(Pair.EMPTY, null, key, 10, done));
            pair.run(done -> pair.toServer.get(Pair.EMPTY, null, key, 10, done));
            pair.run(pair.toServer::flush);
        }
        pair.assertStillWorks();
    }

    @Test
    void keepsKeyUntilOperationsThatUseItHaveEnded() {
        try (UcpMemory memory = pair.context.register(Pair.pattern(4 << 20))) {
            UcpRemoteKey key = keyTo(memory.descriptor());
            MemorySegment destination = Arena.ofAuto().allocate(4 << 20);
            Outcome got = Outcome.of(done -> pair.toServer.get(destination, null, key, 0, done));
            key.close();
            pair.awaitOk(got);
            assertThat(destination.mismatch(memory.segment())).isEqualTo(-1);
        }
    }

    @Test
    void refusesToEndRegistrationWhileOperationUsesIt() {
        try (UcpMemory memory = pair.context.register(Pair.pattern(4 << 20));
                UcpMemory local = pair.context.allocate(4 << 20);
                UcpRemoteKey key = keyTo(memory.descriptor())) {
            Outcome got = Outcome.of(done -> pair.toServer.get(local.segment(), local, key, 0, done));
            assumeTrue(!got.isDone(), link + " gets within the call: no operation is in flight");
            assertThatThrownBy(local::close).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("1 operations still use it");
            pair.awaitOk(got);
            assertThat(local.segment().mismatch(memory.segment())).isEqualTo(-1);
        }
    }

    @Test
    void refusesToEndMemoryThatWorkerOfAnotherContextUses() {
        try (UcpContext other = UcpContext.create(link.config()); UcpMemory memory = other.allocate(LARGE)) {
            memory.segment().copyFrom(Pair.pattern(LARGE));
            Outcome sent = Outcome.of(done -> pair.toServer.tagSend(memory.segment(), null, 1, done));
            assertThat(sent.isDone()).isFalse();
            assertThatThrownBy(memory::close).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("1 operations still use it");
            assertReceived(sent);
        }
    }

    private void assertReceived(Outcome sent) {
        MemorySegment destination = Arena.ofAuto().allocate(LARGE);
        Outcome arrived = new Outcome();
        pair.server.tags().receive(destination, null, 1, -1, arrived);
        pair.awaitOk(arrived);
        pair.awaitOk(sent);
        assertThat(destination.mismatch(Pair.pattern(LARGE))).isEqualTo(-1);
    }

    @Test
    void keepsPointerMappedUntilOperationsOnItHaveEnded() {
        assumeTrue(link.isSharedMemory(), link + " gives no pointers");
        try (UcpMemory memory = pair.context.allocate(LARGE)) {
            memory.segment().copyFrom(Pair.pattern(LARGE));
            UcpRemoteKey key = keyTo(memory.descriptor());
            MemorySegment pointer = key.pointer();
            Outcome sent = Outcome.of(done -> pair.toServer.tagSend(pointer, null, 1, done));
            assertThat(sent.isDone()).isFalse();
            key.close();
            assertThatThrownBy(() -> pointer.get(ValueLayout.JAVA_BYTE, 0)).isInstanceOf(IllegalStateException.class);
            assertThat(AddressSpace.isSharedMapping(pointer.address(), LARGE)).isTrue();
            assertReceived(sent);
            keyTo(memory.descriptor()).close();
            assertThat(AddressSpace.isSharedMapping(pointer.address(), LARGE)).as("a mapping that is not used any more")
                    .isFalse();
        }
    }

    @Test
    void keepsOpenKeyUsableAfterEachOperation() {
        try (UcpMemory memory = pair.context.allocate(SIZE);
                UcpRemoteKey key = keyTo(memory.descriptor())) {
            for (int i = 0; i < 3; i++) {
                int tag = i;
                MemorySegment source = Pair.pattern(8).fill((byte) i);
                pair.run(done -> pair.toServer.put(source, null, key, 0, done));
                pair.run(pair.toServer::flush);
                assertThat(memory.segment().get(ValueLayout.JAVA_BYTE, 7)).isEqualTo((byte) i);
                if (link.isSharedMemory()) {
                    MemorySegment pointer = key.pointer();
                    pair.run(done -> pair.toServer.tagSend(pointer.asSlice(0, 8), null, tag, done));
                    assertThat(AddressSpace.isSharedMapping(pointer.address(), SIZE)).isTrue();
                }
            }
        }
    }

    @Test
    void keepsNativeKeyOfClosedKeyUntilItsOperationHasEnded() {
        assumeTrue(link.isSharedMemory(), link + " gives no pointers");
        try (UcpMemory memory = pair.context.allocate(SIZE)) {
            UcpRemoteKey key = keyTo(memory.descriptor());
            long address = key.pointer().address();
            key.pinned().pin();
            key.close();
            assertThat(AddressSpace.isSharedMapping(address, SIZE)).as("while an operation uses the key").isTrue();
            key.pinned().unpin();
            assertThat(AddressSpace.isSharedMapping(address, SIZE)).as("after the operation").isFalse();
        }
    }

    /** The close that is refused here has to succeed when the test has ended. */
    @Test
    void refusesToEndWorkerWhosePointerAnotherWorkerUses() {
        assumeTrue(link.isSharedMemory(), link + " gives no pointers");
        try (UcpMemory memory = pair.context.allocate(LARGE); Pair other = Pair.of(link)) {
            MemorySegment pointer = keyTo(memory.descriptor()).pointer();
            Outcome sent = Outcome.of(done -> other.toServer.tagSend(pointer, null, 1, done));
            assertThat(sent.isDone()).isFalse();
            boolean force = link.errorMode() == ErrorMode.PEER;
            pair.run(done -> pair.toServer.close(force ? CloseMode.FORCE : CloseMode.FLUSH, done));
            assertThatThrownBy(pair.client::close).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("the pointers of 1 remote keys");
            assertThat(AddressSpace.isSharedMapping(pointer.address(), LARGE)).isTrue();
            Outcome arrived = new Outcome();
            other.server.tags().receive(Arena.ofAuto().allocate(LARGE), null, 1, -1, arrived);
            other.awaitOk(arrived);
            other.awaitOk(sent);
        }
    }

    @Test
    void startsWithZeroedMemoryWhenUcxAllocates() {
        try (UcpMemory memory = pair.context.allocate(SIZE)) {
            assertThat(memory.segment().byteSize()).isEqualTo(SIZE);
            assertThat(memory.segment().mismatch(Arena.ofAuto().allocate(SIZE))).isEqualTo(-1);
            assertThat(pair.context.registeredBytes()).isEqualTo(SIZE);
        }
        assertThat(pair.context.registeredBytes()).isZero();
    }

    @Test
    void ordersWritesByFence() {
        try (UcpMemory memory = pair.context.register(Arena.ofAuto().allocate(SIZE));
                UcpRemoteKey key = keyTo(memory.descriptor())) {
            for (int i = 1; i <= 50; i++) {
                MemorySegment source = Pair.pattern(8).fill((byte) i);
                Outcome put = Outcome.of(done -> pair.toServer.put(source, null, key, 0, done));
                pair.client.fence();
                pair.awaitOk(put);
            }
            pair.run(pair.toServer::flush);
            assertThat(memory.segment().get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 50);
        }
    }

    @Test
    void seesSharedMemoryOfPeerAndNoOther() {
        try (UcpMemory memory = pair.context.allocate(SIZE)) {
            UcpRemoteKey key = keyTo(memory.descriptor(100, 50));
            memory.segment().copyFrom(Pair.pattern(SIZE));
            if (link.isSharedMemory()) {
                MemorySegment pointer = key.pointer();
                assertThat(pointer.byteSize()).isEqualTo(50);
                assertThat(pointer.mismatch(memory.segment().asSlice(100, 50))).isEqualTo(-1);
                pointer.set(ValueLayout.JAVA_BYTE, 49, (byte) 0x66);
                assertThat(memory.segment().get(ValueLayout.JAVA_BYTE, 149)).isEqualTo((byte) 0x66);
                assertThat(key.pointer()).isEqualTo(pointer);
                key.close();
                assertThatThrownBy(() -> pointer.get(ValueLayout.JAVA_BYTE, 0))
                        .isInstanceOf(IllegalStateException.class);
            } else if (link.isSelf() && Ucx.version().isAtLeast(1, 18)) {
                // The memory itself, which ends with the registration and not with the key.
                assertThat(key.pointer()).isEqualTo(memory.segment().asSlice(100, 50));
                key.close();
            } else {
                assertThatThrownBy(key::pointer).isInstanceOfSatisfying(UcxException.class, e -> {
                    assertThat(e.status()).isEqualTo(UcxStatus.UNREACHABLE);
                    assertThat(e).hasMessageContaining("only shared memory");
                });
                key.close();
            }
            assertThatThrownBy(key::pointer).isInstanceOf(UcxClosedException.class);
        }
        pair.assertStillWorks();
    }

    @Test
    void seesNoMemoryOfTheCallersOwn() {
        try (UcpMemory memory = pair.context.register(Pair.pattern(SIZE));
                UcpRemoteKey key = keyTo(memory.descriptor())) {
            assertThatThrownBy(key::pointer).isInstanceOf(UcxException.class)
                    .hasMessageContaining("only shared memory");
        }
        pair.assertStillWorks();
    }

    /** UCX only adds an offset to the address that the descriptor claims: reading there would end the process. */
    @Test
    void refusesPointerBeyondThePeersMemory() {
        assumeTrue(link.isSharedMemory(), link + " gives no pointers");
        try (UcpMemory memory = pair.context.allocate(SIZE)) {
            MemoryDescriptor honest = memory.descriptor();
            MemoryDescriptor tooLong = new MemoryDescriptor(honest.address(), 1L << 40, honest.key());
            MemoryDescriptor elsewhere = new MemoryDescriptor(honest.address() + (1L << 40), 8, honest.key());
            for (MemoryDescriptor descriptor : List.of(tooLong, elsewhere)) {
                try (UcpRemoteKey key = keyTo(descriptor)) {
                    assertThatThrownBy(key::pointer).isInstanceOfSatisfying(UcxException.class,
                            e -> assertThat(e.status()).isEqualTo(UcxStatus.INVALID_ADDR));
                }
            }
        }
    }

    /** A key that is mapped again gets the same address as before, or one near it. */
    @Test
    void refusesPointerIntoTheCallersOwnMemory() {
        assumeTrue(link.isSharedMemory(), link + " gives no pointers");
        long ownBytes = 16L << 20;
        MemorySegment own = Arena.ofAuto().allocate(ownBytes);
        try (UcpMemory memory = pair.context.allocate(SIZE)) {
            MemoryDescriptor honest = memory.descriptor();
            UcpRemoteKey before = keyTo(honest);
            long distance = own.address() + ownBytes / 2 - before.pointer().address();
            before.close();
            try (UcpRemoteKey key =
                    keyTo(new MemoryDescriptor(honest.address() + distance, Long.BYTES, honest.key()))) {
                assertThatThrownBy(key::pointer).isInstanceOfSatisfying(UcxException.class,
                        e -> assertThat(e.status()).isEqualTo(UcxStatus.INVALID_ADDR));
            }
        }
    }

    @Test
    void comparesKeysWhereTheLibraryCan() {
        try (UcpMemory memory = pair.context.allocate(SIZE); UcpRemoteKey one = keyTo(memory.descriptor());
                UcpRemoteKey two = keyTo(memory.descriptor(10, 10))) {
            assertThatThrownBy(() -> one.compare(null)).isInstanceOf(NullPointerException.class)
                    .hasMessageContaining("other");
            if (pair.context.support(UcpCapability.REMOTE_KEY_COMPARE).isSupported()) {
                assertThat(one.compare(one)).isZero();
                assertThat(Integer.signum(one.compare(two))).isEqualTo(-Integer.signum(two.compare(one)));
            } else {
                assertThatThrownBy(() -> one.compare(two)).isInstanceOf(UcxUnsupportedException.class)
                        .hasMessageContaining("1.16");
            }
        }
    }

    @Test
    void endsPointersWithTheEndpoint() {
        assumeTrue(link.isSharedMemory(), link + " gives no pointers");
        try (UcpMemory memory = pair.context.allocate(SIZE)) {
            MemorySegment pointer = keyTo(memory.descriptor()).pointer();
            assertThat(pointer.get(ValueLayout.JAVA_BYTE, 0)).isZero();
            boolean force = link.errorMode() == ErrorMode.PEER;
            pair.run(done -> pair.toServer.close(force ? CloseMode.FORCE : CloseMode.FLUSH, done));
            assertThatThrownBy(() -> pointer.get(ValueLayout.JAVA_BYTE, 0)).isInstanceOf(IllegalStateException.class);
        }
    }
}
