package io.reactorucx.examples.soak;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.OptionalLong;

/**
 * Measures the memory that the C library has allocated and not freed ({@code mallinfo2} of glibc): UCX's requests,
 * pools and endpoints, the slabs of the buffer pool and the JVM's own structures, but not the Java heap. Unlike the
 * resident memory it does not count free memory that the C library keeps.
 */
final class NativeHeap {

    private static final MemoryLayout TEN_SIZES = MemoryLayout.structLayout(MemoryLayout.sequenceLayout(10,
            ValueLayout.JAVA_LONG));
    private static final int MAPPED_BYTES = 4;
    private static final int USED_BYTES = 7;
    private static final long LITTLE = 1 << 20;
    private static final int LOOKS = 5;
    private static final long BETWEEN_LOOKS_MILLIS = 50;
    private static final int MAX_LOOKS = 100;

    private NativeHeap() {
    }

    /**
     * The bytes in use, where the C library reports them. Another thread frees the memory that a garbage collection
     * found unreachable: this waits until the number no longer falls.
     */
    static OptionalLong usedBytes() {
        Linker linker = Linker.nativeLinker();
        return linker.defaultLookup().find("mallinfo2").map(address ->
                linker.downcallHandle(address, FunctionDescriptor.of(TEN_SIZES)))
                .map(mallinfo -> OptionalLong.of(settledBytes(mallinfo))).orElse(OptionalLong.empty());
    }

    private static long settledBytes(MethodHandle mallinfo) {
        long least = usedBytes(mallinfo);
        int same = 0;
        try {
            for (int looks = 0; looks < MAX_LOOKS && same < LOOKS; looks++) {
                Thread.sleep(BETWEEN_LOOKS_MILLIS);
                long now = usedBytes(mallinfo);
                same = now < least - LITTLE ? 0 : same + 1;
                least = Math.min(least, now);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return least;
    }

    private static long usedBytes(MethodHandle mallinfo) {
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
}
