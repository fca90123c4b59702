package io.reactorucx.core.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The last value that each check in front of a native call lets through, and the first that it refuses. */
class ArgumentsTest {

    private static void assertPasses(ThrowingCallable check) {
        assertThatCode(check).doesNotThrowAnyException();
    }

    private static void assertRefused(ThrowingCallable check, String... words) {
        assertThatThrownBy(check).isInstanceOf(IllegalArgumentException.class).hasMessageContainingAll(words);
    }

    @ParameterizedTest
    @CsvSource({"0, 10, 10", "10, 0, 10", "3, 7, 10", "0, 0, 0", "0, 9223372036854775807, 9223372036854775807"})
    void takesRangeWithinTheLimit(long offset, long length, long limit) {
        assertPasses(() -> Arguments.bounds(offset, length, limit, "range"));
    }

    @ParameterizedTest
    @CsvSource({"-1, 1, 10", "0, -1, 10", "0, 11, 10", "11, 0, 10", "10, 1, 10", "4, 7, 10",
        "9223372036854775807, 9223372036854775807, 10", "9223372036854775807, 1, 10", "0, -9223372036854775808, 10",
        "-9223372036854775808, 1, 10"})
    void refusesRangeOutsideTheLimit(long offset, long length, long limit) {
        assertThatThrownBy(() -> Arguments.bounds(offset, length, limit, "range"))
                .isInstanceOf(IndexOutOfBoundsException.class).hasMessage("range: " + length + " bytes at offset "
                + offset + " do not fit into " + limit + " bytes");
    }

    @Test
    void takesNumbersUpToTheirLimits() {
        assertThat(Arguments.range(3, 3, 5, "number")).isEqualTo(3);
        assertThat(Arguments.range(5, 3, 5, "number")).isEqualTo(5);
        assertRefused(() -> Arguments.range(2, 3, 5, "number"), "number 2", "3..5");
        assertRefused(() -> Arguments.range(6, 3, 5, "number"), "number 6", "3..5");
        assertThat(Arguments.positive(1, "count")).isEqualTo(1);
        assertRefused(() -> Arguments.positive(0, "count"), "count 0", "at least 1");
    }

    @Test
    void takesNamesThatUcxKeepsWhole() {
        String longest = "n".repeat(Arguments.MAX_NAME_LENGTH);
        assertThat(Arguments.name(longest, "name")).isEqualTo(longest);
        assertThat(Arguments.name("", "name")).isEmpty();
        assertRefused(() -> Arguments.name(longest + "n", "name"), "name nn", "at most 31");
        assertRefused(() -> Arguments.name("\0rest", "name"), "none of them 0");
        assertRefused(() -> Arguments.name("rest\0", "name"), "none of them 0");
    }

    @Test
    void takesHeadersUpToTheirLimit() {
        assertPasses(() -> Arguments.header(MemorySegment.ofArray(new byte[8]), 8));
        assertRefused(() -> Arguments.header(MemorySegment.ofArray(new byte[9]), 8), "header of 9 bytes: at most 8");
    }

    @Test
    void takesAddressesThatAreAligned() {
        assertPasses(() -> Arguments.aligned(0x1000, 8, "memory"));
        assertRefused(() -> Arguments.aligned(0x1004, 8, "memory"), "memory at address 0x1004", "multiple of 8");
    }

    @Test
    void givesNativeMemoryToUcxAndNoOther() {
        MemorySegment memory = Arena.ofAuto().allocate(8);
        assertThat(Arguments.source(memory, "payload")).isSameAs(memory);
        assertThat(Arguments.source(memory.asReadOnly(), "payload").byteSize()).isEqualTo(8);
        assertThat(Arguments.source(MemorySegment.ofArray(new byte[0]), "payload")).as("no bytes, from anywhere")
                .isEqualTo(MemorySegment.NULL);
        assertRefused(() -> Arguments.source(MemorySegment.ofArray(new byte[8]), "payload"), "payload: 8",
                "on the Java heap");
        assertRefused(() -> Arguments.source(MemorySegment.NULL.reinterpret(8), "payload"), "at the address 0");
        assertThat(Arguments.destination(memory, "to")).isSameAs(memory);
        assertRefused(() -> Arguments.destination(memory.asReadOnly(), "to"), "to: 8", "read-only");
    }

    @Test
    void refusesMemoryThatCannotBeReached() throws InterruptedException {
        MemorySegment closed;
        try (Arena arena = Arena.ofShared()) {
            closed = arena.allocate(8);
        }
        assertRefused(() -> Arguments.source(closed, "payload"), "payload: ", "is closed");
        assertRefused(() -> Arguments.readable(closed, "header"), "header: ", "is closed");
        try (Arena confined = Arena.ofConfined()) {
            MemorySegment ofThisThread = confined.allocate(8);
            assertPasses(() -> Arguments.readable(ofThisThread, "header"));
            Throwable[] thrown = new Throwable[1];
            Thread other = Thread.ofPlatform().start(() -> {
                try {
                    Arguments.readable(ofThisThread, "header");
                } catch (IllegalArgumentException e) {
                    thrown[0] = e;
                }
            });
            other.join();
            assertThat(thrown[0]).hasMessageContaining("another thread's confined arena");
        }
    }

    @Test
    void padsBytesForParsersThatReadOn() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment padded = Arguments.padded(new byte[] {1, 2, 3}, arena);
            assertThat(padded.byteSize()).isEqualTo(3 + 64 * 1024);
            assertThat(padded.asSlice(0, 3).toArray(ValueLayout.JAVA_BYTE)).containsExactly(1, 2, 3);
            assertThat(padded.asSlice(3).toArray(ValueLayout.JAVA_BYTE)).containsOnly(0);
        }
    }
}
