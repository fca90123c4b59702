package io.reactorucx.core.shm;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NativeBytesTest {

    private static final int SIZE = 256;
    private static final int FENCE = 64;

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment all = arena.allocate(FENCE + SIZE + FENCE, 64).fill((byte) 0x5A);
    private final MemorySegment memory = all.asSlice(FENCE, SIZE);
    private final NativeBytes bytes = new NativeBytes(memory);

    @AfterEach
    void close() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }

    private static byte[] numbers(int count) {
        byte[] numbers = new byte[count];
        for (int i = 0; i < count; i++) {
            numbers[i] = (byte) (i + 1);
        }
        return numbers;
    }

    @Test
    void numbersAreThoseOfTheSegment() {
        bytes.set(9, 0x0102030405060708L);
        bytes.setRelease(24, -2);

        assertThat(memory.get(ValueLayout.JAVA_LONG_UNALIGNED, 9)).isEqualTo(0x0102030405060708L);
        assertThat(bytes.get(9)).isEqualTo(0x0102030405060708L);
        assertThat(bytes.getBigEndian(9)).isEqualTo(memory.get(
                ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN), 9));
        assertThat(bytes.getAcquire(24)).isEqualTo(-2);
        assertThat(bytes.size()).isEqualTo(SIZE);
        assertThat(bytes.memory()).isEqualTo(memory);
    }

    /** Sizes around those at which it is copied in another way. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 16, 17, 23, 24, 31, 63, 64, 65, 72, 128, 255, 256})
    void copiesNoByteMoreOrLess(int count) {
        byte[] numbers = numbers(count);
        for (MemorySegment from : new MemorySegment[] {MemorySegment.ofArray(numbers),
            arena.allocate(Math.max(1, count)).asSlice(0, count).copyFrom(MemorySegment.ofArray(numbers))}) {
            for (int offset : new int[] {0, Math.min(3, SIZE - count), SIZE - count}) {
                all.fill((byte) 0x5A);
                bytes.copyFrom(from, offset);

                byte[] expected = new byte[FENCE + SIZE + FENCE];
                MemorySegment.ofArray(expected).fill((byte) 0x5A);
                System.arraycopy(numbers, 0, expected, FENCE + offset, count);
                assertThat(all.toArray(JAVA_BYTE)).isEqualTo(expected);
                byte[] out = new byte[count + 1];
                bytes.copyTo(offset, out, count);
                assertThat(out).isEqualTo(Arrays.copyOf(numbers, count + 1));
                MemorySegment segment = arena.allocate(count + 1);
                bytes.copyTo(offset, segment, count);
                assertThat(segment.toArray(JAVA_BYTE)).isEqualTo(out);
                all.fill((byte) 0x5A);
                bytes.copyFrom(Arrays.copyOf(numbers, count + 1), count, offset);
                assertThat(all.toArray(JAVA_BYTE)).isEqualTo(expected);
            }
        }
    }

    private void assertRefused(Class<? extends RuntimeException> type, ThrowingCallable... accesses) {
        for (ThrowingCallable access : accesses) {
            assertThatThrownBy(access).isInstanceOf(type);
        }
        assertThat(all.mismatch(arena.allocate(all.byteSize()).fill((byte) 0x5A))).isEqualTo(-1);
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, -8, -64, SIZE - 7, SIZE, SIZE + 56, Long.MAX_VALUE, Long.MIN_VALUE})
    void refusesWhatIsOutside(long offset) {
        assertRefused(IndexOutOfBoundsException.class, () -> bytes.get(offset), () -> bytes.getAcquire(offset),
                () -> bytes.getBigEndian(offset), () -> bytes.set(offset, 1), () -> bytes.setRelease(offset, 1),
                () -> bytes.copyFrom(MemorySegment.ofArray(numbers(8)), offset),
                () -> bytes.copyFrom(numbers(8), 8, offset),
                () -> bytes.copyTo(offset, new byte[8], 8),
                () -> bytes.copyTo(offset, arena.allocate(8), 8));
    }

    @Test
    void refusesSizes() {
        assertRefused(IndexOutOfBoundsException.class, () -> bytes.copyTo(0, new byte[8], -1),
                () -> bytes.copyTo(0, new byte[SIZE + 1], SIZE + 1), () -> bytes.copyTo(0, new byte[8], 9),
                () -> bytes.copyTo(0, new byte[20], 24), () -> bytes.copyTo(0, new byte[99], 100),
                () -> bytes.copyTo(0, arena.allocate(8), 9), () -> bytes.copyTo(0, arena.allocate(8), -1),
                () -> bytes.copyFrom(new byte[8], -1, 0), () -> bytes.copyFrom(new byte[8], 9, 0),
                () -> bytes.copyFrom(new byte[99], 100, 0), () -> bytes.copyFrom(new byte[SIZE + 1], SIZE + 1, 0),
                () -> bytes.copyFrom(MemorySegment.ofArray(numbers(SIZE + 1)), 0));
    }

    @Test
    void refusesNumbersAcrossWords() {
        assertRefused(IllegalArgumentException.class, () -> bytes.getAcquire(4), () -> bytes.setRelease(1, 1));
    }

    @Test
    void refusesWritesOfWhatIsReadOnly() {
        NativeBytes readOnly = new NativeBytes(memory.asReadOnly());

        assertRefused(IllegalArgumentException.class, () -> readOnly.set(0, 1), () -> readOnly.setRelease(0, 1),
                () -> readOnly.copyFrom(MemorySegment.ofArray(numbers(1)), 0),
                () -> readOnly.copyFrom(numbers(1), 1, 0));
        assertThat(readOnly.get(0)).isEqualTo(bytes.get(0));
    }

    @Test
    void refusesWhatIsFreed() {
        arena.close();

        for (ThrowingCallable access : new ThrowingCallable[] {() -> bytes.get(0), () -> bytes.getAcquire(0),
            () -> bytes.set(0, 1), () -> bytes.setRelease(0, 1), () -> bytes.copyTo(0, new byte[1], 1),
            () -> bytes.copyFrom(numbers(1), 1, 0), () -> bytes.copyFrom(MemorySegment.ofArray(numbers(1)), 0)}) {
            assertThatThrownBy(access).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void refusesOtherMemory() {
        assertThatThrownBy(() -> new NativeBytes(MemorySegment.ofArray(new byte[8])))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new NativeBytes(MemorySegment.NULL)).isInstanceOf(IllegalArgumentException.class);
    }
}
