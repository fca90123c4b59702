package io.reactorucx.core;

import io.reactorucx.core.ffi.UcpCompat;
import io.reactorucx.core.internal.Arguments;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Zeroed memory of this process in large pages, where the system gives them to who asks ({@code MADV_HUGEPAGE}).
 *
 * <p>The kernel looks at each page of what it copies from one process to another (cma), and of what it registers with a device.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> the memory ends with its arena. <b>Errors:</b> {@link OutOfMemoryError}.
 */
public final class LargePages {

    /** What memory is aligned to: a large page, wherever UCX runs with the usual ones. */
    public static final long BYTES = 2L << 20;

    private LargePages() {
    }

    /**
     * Maps memory, and touches all of it.
     *
     * @param bytes a multiple of {@link #BYTES}
     * @param arena what it ends with
     * @return the memory
     */
    public static MemorySegment allocate(long bytes, Arena arena) {
        Arguments.positive(bytes, "bytes");
        if (bytes % BYTES != 0 || bytes > Long.MAX_VALUE / 2) {
            throw new IllegalArgumentException("bytes " + bytes + ": must be a multiple of " + BYTES);
        }
        Ucx.ensureAvailable();
        long mapped = UcpCompat.map(bytes + BYTES);
        if (mapped == -1) {
            throw new OutOfMemoryError(bytes + " bytes cannot be mapped");
        }
        long address = (mapped + BYTES - 1) / BYTES * BYTES;
        unmap(mapped, address - mapped);
        unmap(address + bytes, mapped + BYTES - address);
        UcpCompat.adviseLargePages(address, bytes);
        return MemorySegment.ofAddress(address).reinterpret(bytes, arena, ignored -> unmap(address, bytes)).fill((byte) 0);
    }

    private static void unmap(long address, long bytes) {
        if (bytes > 0) {
            UcpCompat.unmap(MemorySegment.ofAddress(address), bytes);
        }
    }
}
