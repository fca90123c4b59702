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
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.stream.Stream;
import javax.management.JMException;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;

/**
 * The native memory of this process at a moment, in two measures: what the C library has allocated and not freed, and
 * the private pages that the kernel holds. The slabs of the buffer pool are mapped, so that they count among the pages
 * and not among what the C library has allocated.
 *
 * @param mallocBytes allocated from the C library by UCX and by the JVM; empty where the C library does not tell
 * @param privateBytes private pages outside of the Java heap, the JVM's code and its class data; without the free
 *     memory that the C library keeps
 */
record NativeMemory(OptionalLong mallocBytes, long privateBytes) {

    private static final MemoryLayout TEN_SIZES = MemoryLayout.structLayout(MemoryLayout.sequenceLayout(10,
            ValueLayout.JAVA_LONG));
    private static final int MAPPED_BYTES = 4;
    private static final int USED_BYTES = 7;
    private static final long LITTLE = 1 << 20;
    /** The JVM's compilers hold up to tens of MB for a method, and for up to 5 s afterwards. */
    private static final int LOOKS = 30;
    private static final long BETWEEN_LOOKS_MILLIS = 200;
    private static final int MAX_LOOKS = 75;

    private static final java.util.regex.Pattern ADDRESS = java.util.regex.Pattern.compile("0x([0-9a-f]+)");
    private static final java.util.regex.Pattern MAPPING = java.util.regex.Pattern.compile("^([0-9a-f]+)-[0-9a-f]+ .*");
    private static final String ANONYMOUS = "Anonymous:";

    private static final Linker LINKER = Linker.nativeLinker();
    /** Null where the C library is another one than glibc 2.33 or newer. */
    private static final @Nullable MethodHandle MALLINFO = function("mallinfo2", FunctionDescriptor.of(TEN_SIZES));
    private static final @Nullable MethodHandle TRIM = function("malloc_trim", FunctionDescriptor.of(
            ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG));

    private static @Nullable MethodHandle function(String name, FunctionDescriptor type) {
        return LINKER.defaultLookup().find(name).map(address -> LINKER.downcallHandle(address, type)).orElse(null);
    }

    /**
     * Measures until neither number falls any more: other threads free what a garbage collection found unreachable, and
     * what compilations have used.
     */
    static NativeMemory settled() {
        NativeMemory least = now();
        int same = 0;
        try {
            for (int looks = 0; looks < MAX_LOOKS && same < LOOKS; looks++) {
                Thread.sleep(BETWEEN_LOOKS_MILLIS);
                NativeMemory now = now();
                NativeMemory lesser = least.min(now);
                same = least.mallocOrZero() - lesser.mallocOrZero() > LITTLE
                        || least.privateBytes - lesser.privateBytes > LITTLE ? 0 : same + 1;
                least = lesser;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return least;
    }

    private static NativeMemory now() {
        return new NativeMemory(MALLINFO == null ? OptionalLong.empty() : OptionalLong.of(mallocBytesNow(MALLINFO)),
                privateBytesNow());
    }

    private NativeMemory min(NativeMemory other) {
        return new NativeMemory(mallocBytes.isEmpty() ? mallocBytes
                : OptionalLong.of(Math.min(mallocOrZero(), other.mallocOrZero())),
                Math.min(privateBytes, other.privateBytes));
    }

    private long mallocOrZero() {
        return mallocBytes.orElse(0);
    }

    private static long mallocBytesNow(MethodHandle mallinfo) {
        try (Arena call = Arena.ofConfined()) {
            MemorySegment sizes = (MemorySegment) mallinfo.invokeExact((SegmentAllocator) call);
            return sizes.getAtIndex(ValueLayout.JAVA_LONG, MAPPED_BYTES)
                    + sizes.getAtIndex(ValueLayout.JAVA_LONG, USED_BYTES);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("mallinfo2 failed", e);
        }
    }

    private static long privateBytesNow() {
        trim();
        long[] heap = heapAddresses();
        long bytes = 0;
        boolean inHeap = false;
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/smaps"), StandardCharsets.UTF_8)) {
            for (String line : (Iterable<String>) lines::iterator) {
                Matcher mapping = MAPPING.matcher(line);
                if (mapping.matches()) {
                    long start = Long.parseUnsignedLong(mapping.group(1), 16);
                    inHeap = start >= heap[0] && start < heap[1];
                } else if (line.startsWith(ANONYMOUS) && !inHeap) {
                    bytes += Long.parseLong(line.replaceAll("\\D", "")) << 10;
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes - ManagementFactory.getMemoryMXBean().getNonHeapMemoryUsage().getCommitted();
    }

    private static void trim() {
        MethodHandle trim = TRIM;
        if (trim == null) {
            return;
        }
        try {
            int ignored = (int) trim.invokeExact(0L);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("malloc_trim failed", e);
        }
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
                Long.parseUnsignedLong(found.group(1), 16)).sorted().toArray();
        if (addresses.length < 2) {
            throw new IllegalStateException("the JVM does not tell where its heap is: " + info);
        }
        return new long[] {addresses[0], addresses[addresses.length - 1]};
    }
}
