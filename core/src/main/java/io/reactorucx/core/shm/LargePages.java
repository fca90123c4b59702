package io.reactorucx.core.shm;

import io.reactorucx.core.Ucx;
import io.reactorucx.core.ffi.UcpCompat;
import io.reactorucx.core.internal.Arguments;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * Zeroed memory of this process in large pages, where the system grants them on request ({@code MADV_HUGEPAGE}), else
 * in pages of the usual size.
 *
 * <p>The kernel looks at each page of what it copies from one process to another (cma), and of what it registers with a
 * device.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> the memory ends with its arena. It counts neither as direct memory
 * of the JVM nor as native memory that the JVM has allocated. <b>Errors:</b> {@link OutOfMemoryError}, {@link
 * IllegalArgumentException} for a size, {@link IllegalStateException} for an arena that is closed.
 */
public final class LargePages {

    /** The alignment of the memory, in bytes: a large page of x86-64, and of aarch64 with pages of 4 KiB. */
    public static final long BYTES = 2L << 20;

    private LargePages() {
    }

    /**
     * Maps memory and touches all of it, so that later accesses need not wait for the kernel.
     *
     * @param bytes a multiple of {@link #BYTES}
     * @param arena what it ends with
     * @return the memory
     */
    public static MemorySegment allocate(long bytes, Arena arena) {
        Arguments.positive(bytes, "bytes");
        if (bytes % BYTES != 0) {
            throw new IllegalArgumentException("bytes " + bytes + ": must be a multiple of " + BYTES);
        }
        if (bytes > Long.MAX_VALUE / 2) {
            throw new OutOfMemoryError(bytes + " bytes are more than there are addresses");
        }
        Objects.requireNonNull(arena, "arena");
        Ucx.ensureAvailable();
        long mapped = UcpCompat.map(bytes + BYTES);
        if (mapped == -1) {
            throw new OutOfMemoryError(bytes + " bytes cannot be mapped");
        }
        long address = (mapped + BYTES - 1) / BYTES * BYTES;
        unmap(mapped, address - mapped);
        unmap(address + bytes, mapped + BYTES - address);
        MemorySegment memory;
        try {
            memory = MemorySegment.ofAddress(address).reinterpret(bytes, arena, ignored -> unmap(address, bytes));
        } catch (RuntimeException e) {
            unmap(address, bytes);
            throw e;
        }
        UcpCompat.adviseLargePages(address, bytes);
        return memory.fill((byte) 0);
    }

    private static void unmap(long address, long bytes) {
        if (bytes > 0) {
            UcpCompat.unmap(MemorySegment.ofAddress(address), bytes);
        }
    }
}
