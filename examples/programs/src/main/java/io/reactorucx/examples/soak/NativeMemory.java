package io.reactorucx.examples.soak;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.stream.Stream;
import javax.management.JMException;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;

/**
 * The native memory of this process at a moment, in two measures: what the C library has allocated and not freed, and
 * what was mapped otherwise. The slabs of the buffer pool are mapped.
 *
 * @param mallocBytes allocated from the C library by UCX and by the JVM; empty where the C library does not tell
 * @param mappedBytes private pages in use outside of the C library's heaps, which also hold its free memory, of the
 *     Java heap, and of the JVM's code and class data, less what the C library itself has mapped for large
 *     allocations, which counts in the other measure
 */
record NativeMemory(OptionalLong mallocBytes, long mappedBytes) {

    private static final MemoryLayout TEN_SIZES = MemoryLayout.structLayout(MemoryLayout.sequenceLayout(10,
            ValueLayout.JAVA_LONG));
    private static final int MAPPED_BYTES = 4;
    private static final int USED_BYTES = 7;
    private static final long LITTLE = 1 << 20;
    private static final long MALLOC_HEAP_BYTES = 64 << 20;
    /** The JVM's compilers hold up to tens of MB for a method, and for up to 5 s afterwards. */
    private static final int LOOKS = 30;
    private static final long BETWEEN_LOOKS_MILLIS = 200;
    private static final int MAX_LOOKS = 100;
    /** Hundredths of a second between two looks: a method whose compilation takes less needs little memory. */
    private static final long IDLE_TICKS = 3;

    private static final java.util.regex.Pattern ADDRESS = java.util.regex.Pattern.compile("0x([0-9a-f]+)");
    private static final java.util.regex.Pattern MAPPING = java.util.regex.Pattern.compile(
            "^([0-9a-f]+)-([0-9a-f]+) (\\S+) \\S+ \\S+ \\S+ *(.*)$");
    private static final String ANONYMOUS = "Anonymous:";
    private static final Path TASKS = Path.of("/proc/self/task");
    private static final java.util.regex.Pattern COMPILER = java.util.regex.Pattern.compile("\\(C[12] Compiler");
    /** Fields of a thread's {@code stat} after its name. */
    private static final int USER_TICKS = 11;
    private static final int SYSTEM_TICKS = 12;

    private static final Linker LINKER = Linker.nativeLinker();
    /** Null where the C library is another one than glibc 2.33 or newer. */
    private static final @Nullable MethodHandle MALLINFO = function("mallinfo2", FunctionDescriptor.of(TEN_SIZES));

    private static @Nullable MethodHandle function(String name, FunctionDescriptor type) {
        return LINKER.defaultLookup().find(name).map(address -> LINKER.downcallHandle(address, type)).orElse(null);
    }

    /**
     * Measures until neither number falls any more and the JVM's compilers are idle: other threads free what a garbage
     * collection found unreachable, and what compilations have used.
     */
    static NativeMemory settled() {
        NativeMemory least = now();
        long ticks = compilerTicks();
        int same = 0;
        try {
            for (int looks = 0; looks < MAX_LOOKS && same < LOOKS; looks++) {
                Thread.sleep(BETWEEN_LOOKS_MILLIS);
                NativeMemory now = now();
                NativeMemory lesser = least.min(now);
                long ticksNow = compilerTicks();
                same = least.mallocOrZero() - lesser.mallocOrZero() > LITTLE
                        || least.mappedBytes - lesser.mappedBytes > LITTLE
                        || ticksNow - ticks > IDLE_TICKS ? 0 : same + 1;
                least = lesser;
                ticks = ticksNow;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return least;
    }

    /** Returns the processor time of the JVM's compilers so far. */
    private static long compilerTicks() {
        long ticks = 0;
        String[] tasks = TASKS.toFile().list();
        for (String task : tasks == null ? new String[0] : tasks) {
            try {
                String stat = Files.readString(TASKS.resolve(task).resolve("stat"), StandardCharsets.ISO_8859_1);
                if (COMPILER.matcher(stat).find()) {
                    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
                    ticks += Long.parseLong(fields[USER_TICKS]) + Long.parseLong(fields[SYSTEM_TICKS]);
                }
            } catch (IOException e) {
                // The thread has ended.
                continue;
            }
        }
        return ticks;
    }

    static NativeMemory now() {
        if (MALLINFO == null) {
            return new NativeMemory(OptionalLong.empty(), mappedBytesNow());
        }
        Malloc malloc = Malloc.now(MALLINFO);
        return new NativeMemory(OptionalLong.of(malloc.heapBytes + malloc.mappedBytes),
                mappedBytesNow() - malloc.mappedBytes);
    }

    private NativeMemory min(NativeMemory other) {
        return new NativeMemory(mallocBytes.isEmpty() ? mallocBytes
                : OptionalLong.of(Math.min(mallocOrZero(), other.mallocOrZero())),
                Math.min(mappedBytes, other.mappedBytes));
    }

    private long mallocOrZero() {
        return mallocBytes.orElse(0);
    }

    /**
     * What the C library has allocated and not freed.
     *
     * @param heapBytes in its heaps
     * @param mappedBytes in mappings of their own
     */
    private record Malloc(long heapBytes, long mappedBytes) {

        static Malloc now(MethodHandle mallinfo) {
            try (Arena call = Arena.ofConfined()) {
                MemorySegment sizes = (MemorySegment) mallinfo.invokeExact((SegmentAllocator) call);
                return new Malloc(sizes.getAtIndex(ValueLayout.JAVA_LONG, USED_BYTES),
                        sizes.getAtIndex(ValueLayout.JAVA_LONG, MAPPED_BYTES));
            } catch (RuntimeException | Error e) {
                throw e;
            } catch (Throwable e) {
                throw new IllegalStateException("mallinfo2 failed", e);
            }
        }
    }

    private static long mappedBytesNow() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/smaps"), StandardCharsets.UTF_8)) {
            return mappedBytes(lines, heapAddresses())
                    - ManagementFactory.getMemoryMXBean().getNonHeapMemoryUsage().getCommitted();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Returns the private pages outside of glibc's heaps and of a range of addresses.
     *
     * @param smaps the lines of {@code /proc/self/smaps}
     * @param range its first address, and the one behind its last
     */
    static long mappedBytes(Stream<String> smaps, long[] range) {
        List<Mapping> mappings = mappings(smaps);
        long bytes = 0;
        int heapEnd;
        for (int i = 0; i < mappings.size(); i = Math.max(i + 1, heapEnd)) {
            Mapping mapping = mappings.get(i);
            heapEnd = Mapping.endOfHeap(mappings, i);
            if (heapEnd == 0 && !mapping.isHeap() && (mapping.start < range[0] || mapping.start >= range[1])) {
                bytes += mapping.anonymousBytes;
            }
        }
        return bytes;
    }

    /** A line of {@code /proc/self/smaps} with its private pages. */
    private record Mapping(long start, long end, String access, String name, long anonymousBytes) {

        /**
         * Returns the index behind the mappings of a heap of glibc that begins at an index, or 0. Such a heap is
         * aligned, and what it does not use of its size is reserved. Where a part got other properties, such as huge
         * pages, it is a mapping of its own.
         */
        static int endOfHeap(List<Mapping> all, int first) {
            long start = all.get(first).start;
            long expected = start;
            for (int i = first; i < all.size() && start % MALLOC_HEAP_BYTES == 0; i++) {
                Mapping each = all.get(i);
                boolean reserved = each.access.startsWith("---");
                if (each.start != expected || !each.name.isEmpty() || !reserved && !each.access.startsWith("rw")
                        || i == first && reserved) {
                    return 0;
                }
                if (each.end == start + MALLOC_HEAP_BYTES || reserved && each.end > start + MALLOC_HEAP_BYTES) {
                    return i + 1;
                }
                expected = each.end;
            }
            return 0;
        }

        /** Returns whether this is glibc's first heap. */
        boolean isHeap() {
            return "[heap]".equals(name);
        }
    }

    private static List<Mapping> mappings(Stream<String> smaps) {
        List<Mapping> mappings = new ArrayList<>();
        Matcher mapping = MAPPING.matcher("");
        for (String line : (Iterable<String>) smaps::iterator) {
            if (line.startsWith(ANONYMOUS)) {
                mappings.add(new Mapping(address(mapping.group(1)), address(mapping.group(2)), mapping.group(3),
                        mapping.group(4), Long.parseLong(line.replaceAll("\\D", "")) << 10));
            } else {
                Matcher start = MAPPING.matcher(line);
                mapping = start.matches() ? start : mapping;
            }
        }
        return mappings;
    }

    private static long address(String hexadecimal) {
        return Long.parseUnsignedLong(hexadecimal, 16);
    }

    /** The first address of the Java heap, and the one behind its last, as the JVM's own diagnostics print them. */
    private static long[] heapAddresses() {
        String info;
        try {
            info = (String) ManagementFactory.getPlatformMBeanServer().invoke(
                    new ObjectName("com.sun.management:type=DiagnosticCommand"), "gcHeapInfo", new Object[] {null},
                    new String[] {String[].class.getName()});
        } catch (JMException e) {
            throw new IllegalStateException("the JVM does not tell where its heap is", e);
        }
        long[] addresses = ADDRESS.matcher(info).results().mapToLong(found ->
                address(found.group(1))).sorted().toArray();
        if (addresses.length < 2) {
            throw new IllegalStateException("the JVM does not tell where its heap is: " + info);
        }
        return new long[] {addresses[0], addresses[addresses.length - 1]};
    }
}
