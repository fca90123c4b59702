package io.reactorucx.core.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.Ucx;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LargePagesTest {

    private static final Path ANSWER = Path.of("/sys/kernel/mm/transparent_hugepage/enabled");

    @BeforeEach
    void needUcx() {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
    }

    /** The kernel's lines about the mapping at an address; empty when there is none. */
    private static List<String> mappingOf(long address) throws IOException {
        List<String> lines = Files.readAllLines(Path.of("/proc/self/smaps"));
        for (int i = 0; i < lines.size(); i++) {
            String[] bounds = lines.get(i).split(" ")[0].split("-");
            if (bounds.length == 2 && Long.parseUnsignedLong(bounds[0], 16) <= address
                    && address < Long.parseUnsignedLong(bounds[1], 16)) {
                int end = i + 1;
                while (!lines.get(end).startsWith("VmFlags:")) {
                    end++;
                }
                return lines.subList(i, end + 1);
            }
        }
        return List.of();
    }

    @ParameterizedTest
    @ValueSource(longs = {LargePages.BYTES, 3 * LargePages.BYTES, 32 * LargePages.BYTES})
    void isAlignedZeroedAndAskedForInLargePages(long bytes) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = LargePages.allocate(bytes, arena);
            assertThat(memory.byteSize()).isEqualTo(bytes);
            assertThat(memory.address() % LargePages.BYTES).isZero();
            assertThat(memory.mismatch(arena.allocate(bytes))).isEqualTo(-1);
            memory.set(ValueLayout.JAVA_BYTE, bytes - 1, (byte) 1);
            assumeTrue(Files.exists(ANSWER), "the kernel has no transparent large pages");
            assertThat(mappingOf(memory.address()).getLast()).contains(" hg");
            assertThat(mappingOf(memory.address() + bytes - 1).getLast()).contains(" hg");
        }
    }

    @Test
    void isUnmappedWithItsArena() throws IOException {
        long address;
        try (Arena arena = Arena.ofShared()) {
            address = LargePages.allocate(2 * LargePages.BYTES, arena).address();
            assertThat(mappingOf(address)).isNotEmpty();
        }
        // No other thread maps memory there meanwhile that asks for large pages.
        assertThat(mappingOf(address)).noneMatch(line -> line.startsWith("VmFlags:") && line.contains(" hg"));
        assertThat(mappingOf(address + LargePages.BYTES)).noneMatch(line -> line.startsWith("VmFlags:")
                && line.contains(" hg"));
    }

    @Test
    void leavesNothingBehindWhenTheArenaIsClosed() throws IOException {
        Arena arena = Arena.ofShared();
        arena.close();
        long before = mapped();
        for (int i = 0; i < 100; i++) {
            assertThatThrownBy(() -> LargePages.allocate(32 * LargePages.BYTES, arena))
                    .isInstanceOf(IllegalStateException.class);
        }
        // A hundred mappings of 64 MiB would be 6400 MiB.
        assertThat(mapped() - before).isLessThan(3200L << 20);
    }

    /** Bytes of address space of this process. */
    private static long mapped() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/status")).stream().filter(line -> line.startsWith("VmSize:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10).findFirst().orElseThrow();
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MIN_VALUE, -LargePages.BYTES, 0, 1, LargePages.BYTES - 1, LargePages.BYTES + 4096})
    void refusesOtherSizes(long bytes) {
        try (Arena arena = Arena.ofConfined()) {
            assertThatThrownBy(() -> LargePages.allocate(bytes, arena)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("bytes " + bytes);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1L << 46, 1L << 61, Long.MAX_VALUE - LargePages.BYTES + 1})
    void saysThatThereIsNotSoMuch(long bytes) {
        try (Arena arena = Arena.ofConfined()) {
            assertThatThrownBy(() -> LargePages.allocate(bytes, arena)).isInstanceOf(OutOfMemoryError.class)
                    .hasMessageStartingWith(bytes + " bytes");
        }
    }
}
