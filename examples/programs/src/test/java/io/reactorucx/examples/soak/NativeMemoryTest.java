package io.reactorucx.examples.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.Arena;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What counts as mapped, by the lines of {@code /proc/self/smaps}. */
class NativeMemoryTest {

    private static final long MIB = 1 << 20;
    private static final long HEAP = 0x7f00_0000_0000L;

    /** A mapping from one MiB of the address to another, all of whose pages are in use, if it has access. */
    private static String mapping(long fromMib, long toMib, String access, String name) {
        long used = access.startsWith("rw") ? (toMib - fromMib) * 1024 : 0;
        String first = String.format("%x-%x %s 00000000 00:00 0 %s", HEAP + fromMib * MIB, HEAP + toMib * MIB, access,
                name);
        return String.join("\n", first.strip(), "Rss: 0 kB", "Anonymous:      " + used + " kB", "VmFlags: rd wr mr");
    }

    private static long mapped(String... mappings) {
        return NativeMemory.mappedBytes(Stream.of(mappings).flatMap(String::lines), new long[] {0, 1}) / MIB;
    }

    @Test
    void heapOfMallocDoesNotCount() {
        assertThat(mapped(mapping(0, 40, "rw-p", ""), mapping(40, 64, "---p", ""))).isZero();
        assertThat(mapped(mapping(0, 64, "rw-p", ""))).isZero();
        assertThat(mapped(mapping(3, 4, "rw-p", "[heap]"))).isZero();
    }

    /** The system splits the mapping of a heap in which memory of huge pages was allocated. */
    @Test
    void heapInPiecesDoesNotCount() {
        assertThat(mapped(mapping(0, 10, "rw-p", ""), mapping(10, 12, "rw-p", ""), mapping(12, 40, "rw-p", ""),
                mapping(40, 64, "---p", ""), mapping(64, 67, "rw-p", ""))).isEqualTo(3);
        assertThat(mapped(mapping(0, 10, "rw-p", ""), mapping(10, 64, "rw-p", ""))).isZero();
    }

    @Test
    void otherMemoryCounts() {
        assertThat(mapped(mapping(0, 10, "rw-p", ""))).as("nothing reserved behind it").isEqualTo(10);
        assertThat(mapped(mapping(0, 10, "rw-p", ""), mapping(11, 64, "---p", ""))).as("a gap").isEqualTo(10);
        assertThat(mapped(mapping(0, 65, "rw-p", ""))).as("larger than a heap").isEqualTo(65);
        assertThat(mapped(mapping(0, 10, "rw-p", "/dev/shm/x"), mapping(10, 64, "---p", ""))).as("a file")
                .isEqualTo(10);
        assertThat(mapped(mapping(1, 11, "rw-p", ""), mapping(11, 65, "---p", ""))).as("not aligned").isEqualTo(10);
    }

    /** Netty's chunks are such allocations: pools that grow must not read as mappings that nobody ends. */
    @Test
    void largeAllocationsCountOnce() {
        try (Arena arena = Arena.ofConfined()) {
            NativeMemory before = NativeMemory.now();
            assumeTrue(before.mallocBytes().isPresent(), "the C library does not tell what it has allocated");

            arena.allocate(64 * MIB).fill((byte) 1);

            NativeMemory after = NativeMemory.now();
            assertThat((after.mallocBytes().getAsLong() - before.mallocBytes().getAsLong()) / MIB).isBetween(60L, 80L);
            assertThat((after.mappedBytes() - before.mappedBytes()) / MIB).isBetween(-16L, 16L);
        }
    }
}
