package io.reactorucx.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxUnsupportedException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Atomic operations. */
abstract class AtomicContract extends LinkContract {

    private static final long BEFORE = 0x0F0F_1234_0F0F_5678L;
    private static final long OPERAND = 0x00FF_00FF_00FF_FFFFL;
    private static final int OFFSET = 16;

    private UcpMemory memory;
    private UcpRemoteKey key;

    AtomicContract(Link link) {
        super(link);
    }

    @AfterEach
    void closeMemory() {
        if (memory != null) {
            key.close();
            memory.close();
        }
    }

    private UcpSupport support() {
        return pair.context.support(UcpCapability.ATOMICS_64, link.errorMode());
    }

    private UcpAtomics open(RemoteMemoryContract.Origin origin) {
        assumeTrue(support().isSupported(), support().reason());
        return map(origin);
    }

    private UcpAtomics map(RemoteMemoryContract.Origin origin) {
        memory = origin.in(pair.context, 64);
        memory.segment().fill((byte) 0x55);
        key = pair.toServer.unpack(MemoryDescriptor.fromBytes(memory.descriptor().toBytes()));
        return pair.toServer.atomics();
    }

    private static long truncated(AtomicWidth width, long value) {
        return width == AtomicWidth.INT ? Integer.toUnsignedLong((int) value) : value;
    }

    private static long load(MemorySegment from, AtomicWidth width, long offset) {
        return width == AtomicWidth.INT ? Integer.toUnsignedLong(from.get(ValueLayout.JAVA_INT, offset))
                : from.get(ValueLayout.JAVA_LONG, offset);
    }

    private void store(AtomicWidth width) {
        if (width == AtomicWidth.INT) {
            memory.segment().set(ValueLayout.JAVA_INT, OFFSET, (int) BEFORE);
        } else {
            memory.segment().set(ValueLayout.JAVA_LONG, OFFSET, BEFORE);
        }
    }

    private void assertWord(RemoteMemoryContract.Origin origin, AtomicWidth width, long expected) {
        assertThat(load(memory.segment(), width, OFFSET)).as("word of %s memory", origin)
                .isEqualTo(truncated(width, expected));
        assertThat(memory.segment().get(ValueLayout.JAVA_BYTE, OFFSET - 1L)).isEqualTo((byte) 0x55);
        assertThat(memory.segment().get(ValueLayout.JAVA_BYTE, OFFSET + (long) width.bytes())).isEqualTo((byte) 0x55);
    }

    private static long applied(AtomicOperation operation) {
        return switch (operation) {
            case ADD -> BEFORE + OPERAND;
            case AND -> BEFORE & OPERAND;
            case OR -> BEFORE | OPERAND;
            case XOR -> BEFORE ^ OPERAND;
            case SWAP -> OPERAND;
            case COMPARE_AND_SWAP -> throw new AssertionError("has two operands");
        };
    }

    @Test
    void refusesWhatTheLibraryHasNoProtocolFor() {
        assumeTrue(!support().isSupported(), "the library can do it");
        UcpAtomics atomics = map(RemoteMemoryContract.Origin.values()[0]);
        assertThatThrownBy(() -> atomics.post(AtomicOperation.ADD, AtomicWidth.LONG, OPERAND, key, OFFSET,
                BadInput.NEVER))
                .isInstanceOf(UcxUnsupportedException.class).hasMessageContaining("error mode");
    }

    @ParameterizedTest
    @CsvSource({"ADD, INT", "AND, INT", "OR, INT", "XOR, INT", "ADD, LONG", "AND, LONG", "OR, LONG", "XOR, LONG"})
    void changesWord(AtomicOperation operation, AtomicWidth width) {
        for (RemoteMemoryContract.Origin origin : RemoteMemoryContract.Origin.values()) {
            UcpAtomics atomics = open(origin);
            store(width);
            pair.run(done -> atomics.post(operation, width, OPERAND, key, OFFSET, done));
            pair.run(pair.toServer::flush);
            assertWord(origin, width, applied(operation));
            key.close();
            memory.close();
        }
    }

    @ParameterizedTest
    @CsvSource({"ADD, INT", "AND, INT", "OR, INT", "XOR, INT", "SWAP, INT", "ADD, LONG", "AND, LONG", "OR, LONG",
        "XOR, LONG", "SWAP, LONG"})
    void changesWordAndReturnsOldValue(AtomicOperation operation, AtomicWidth width) {
        for (RemoteMemoryContract.Origin origin : RemoteMemoryContract.Origin.values()) {
            UcpAtomics atomics = open(origin);
            store(width);
            MemorySegment reply = Arena.ofAuto().allocate(width.bytes(), width.bytes());
            pair.run(done -> atomics.fetch(operation, width, OPERAND, reply, key, OFFSET, done));
            assertThat(load(reply, width, 0)).isEqualTo(truncated(width, BEFORE));
            pair.run(pair.toServer::flush);
            assertWord(origin, width, applied(operation));
            key.close();
            memory.close();
        }
    }

    @ParameterizedTest
    @EnumSource(AtomicWidth.class)
    void swapsWordThatHasExpectedValue(AtomicWidth width) {
        for (RemoteMemoryContract.Origin origin : RemoteMemoryContract.Origin.values()) {
            UcpAtomics atomics = open(origin);
            store(width);
            MemorySegment reply = Arena.ofAuto().allocate(width.bytes(), width.bytes());
            pair.run(done -> atomics.compareAndSwap(width, BEFORE, OPERAND, reply, key, OFFSET, done));
            assertThat(load(reply, width, 0)).isEqualTo(truncated(width, BEFORE));
            assertWord(origin, width, OPERAND);
            pair.run(done -> atomics.compareAndSwap(width, BEFORE, 7, reply, key, OFFSET, done));
            assertThat(load(reply, width, 0)).isEqualTo(truncated(width, OPERAND));
            assertWord(origin, width, OPERAND);
            key.close();
            memory.close();
        }
    }

    @Test
    void countsEachOfManyAtomicsInFlight() {
        UcpAtomics atomics = open(RemoteMemoryContract.Origin.REGISTERED);
        memory.segment().set(ValueLayout.JAVA_LONG, OFFSET, 0);
        List<Outcome> outcomes = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            long operand = i;
            outcomes.add(Outcome.of(done -> atomics.post(AtomicOperation.ADD, AtomicWidth.LONG, operand, key, OFFSET,
                    done)));
        }
        outcomes.forEach(pair::awaitOk);
        pair.run(pair.toServer::flush);
        assertThat(memory.segment().get(ValueLayout.JAVA_LONG, OFFSET)).isEqualTo(500L * 499 / 2);
        assertThat(pair.client.inFlight()).isZero();
    }

    @Test
    void refusesWordThatIsNotAligned() {
        UcpAtomics atomics = open(RemoteMemoryContract.Origin.REGISTERED);
        assertThatThrownBy(() -> atomics.post(AtomicOperation.ADD, AtomicWidth.LONG, 1, key, 4, BadInput.NEVER))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("must be a multiple of 8");
        assertThatThrownBy(() -> atomics.post(AtomicOperation.ADD, AtomicWidth.INT, 1, key, 2, BadInput.NEVER))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("must be a multiple of 4");
        pair.assertStillWorks();
    }

    @Test
    void refusesWordPastTheEndOfTheWindow() {
        UcpAtomics atomics = open(RemoteMemoryContract.Origin.REGISTERED);
        assertThatThrownBy(() -> atomics.post(AtomicOperation.ADD, AtomicWidth.LONG, 1, key, 60, BadInput.NEVER))
                .isInstanceOf(IndexOutOfBoundsException.class).hasMessageContaining("remote memory");
        assertThatThrownBy(() -> atomics.post(AtomicOperation.ADD, AtomicWidth.LONG, 1, key, -8, BadInput.NEVER))
                .isInstanceOf(IndexOutOfBoundsException.class);
        pair.assertStillWorks();
    }

    @ParameterizedTest
    @EnumSource(value = AtomicOperation.class, names = {"SWAP", "COMPARE_AND_SWAP"})
    void refusesSwapWithoutReplyWhichAbortsTheProcess(AtomicOperation swap) {
        UcpAtomics atomics = open(RemoteMemoryContract.Origin.ALLOCATED);
        assertThatThrownBy(() -> atomics.post(swap, AtomicWidth.LONG, 1, key, 0, BadInput.NEVER))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("needs a reply");
        pair.assertStillWorks();
    }

    @Test
    void refusesCompareAndSwapWithOneOperand() {
        UcpAtomics atomics = open(RemoteMemoryContract.Origin.REGISTERED);
        MemorySegment reply = Arena.ofAuto().allocate(8, 8);
        assertThatThrownBy(
                () -> atomics.fetch(AtomicOperation.COMPARE_AND_SWAP, AtomicWidth.LONG, 1, reply, key, 0,
                        BadInput.NEVER))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("two operands");
    }

    @Test
    void refusesReplyThatCannotHoldTheWord() {
        UcpAtomics atomics = open(RemoteMemoryContract.Origin.REGISTERED);
        MemorySegment room = Arena.ofAuto().allocate(16, 16);
        for (MemorySegment reply : List.of(room, room.asSlice(0, 4), MemorySegment.NULL, room.asSlice(1, 8),
                BadInput.heap(), room.asSlice(0, 8).asReadOnly())) {
            assertThatThrownBy(() -> atomics.fetch(AtomicOperation.ADD, AtomicWidth.LONG, 1, reply, key, 0,
                    BadInput.NEVER))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("reply");
        }
        pair.assertStillWorks();
    }

    @Test
    void refusesKeyThatIsClosedOrOfAnotherEndpoint() {
        UcpAtomics atomics = open(RemoteMemoryContract.Origin.REGISTERED);
        assumeTrue(!link.isSelf(), "a worker that is connected to itself has one endpoint");
        UcpRemoteKey other = pair.toClient.unpack(memory.descriptor());
        assertThatThrownBy(() -> atomics.post(AtomicOperation.ADD, AtomicWidth.LONG, 1, other, 0, BadInput.NEVER))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("unpacked for");
        other.close();
        key.close();
        assertThatThrownBy(() -> atomics.post(AtomicOperation.ADD, AtomicWidth.LONG, 1, key, 0, BadInput.NEVER))
                .isInstanceOf(UcxClosedException.class);
    }
}
