package io.reactorucx.core.internal.memory;

import io.reactorucx.core.ffi.UcpCompat;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Free address space, reserved so that UCX can allocate there. UCX replaces what is mapped at a fixed address, the Java
 * heap included; some allocation methods and memory domains do so even where the address is only a hint.
 */
public final class AddressReservation {

    private static final String NO_ACCESS = "---p";

    private final long address;
    private final long bytes;

    private AddressReservation(long address, long bytes) {
        this.address = address;
        this.bytes = bytes;
    }

    /**
     * Reserves twice the length from the beginning of the address's page, because UCX may round the length up to large
     * pages. Returns null where something is mapped.
     */
    public static @Nullable AddressReservation tryReserve(long address, long length) {
        long start = address & -AddressSpace.PAGE_BYTES;
        if (start <= 0 || length > Long.MAX_VALUE / 4 || start > Long.MAX_VALUE - 4 * length) {
            return null;
        }
        long bytes = 2 * pages(length);
        return UcpCompat.reserve(start, bytes) ? new AddressReservation(start, bytes) : null;
    }

    private static long pages(long length) {
        return Math.ceilDiv(length, AddressSpace.PAGE_BYTES) * AddressSpace.PAGE_BYTES;
    }

    public long address() {
        return address;
    }

    /** Gives back what lies behind the memory that UCX has mapped at the beginning. */
    public void keep(long usedBytes) {
        long used = pages(usedBytes);
        if (used < bytes) {
            UcpCompat.unmap(MemorySegment.ofAddress(address + used), bytes - used);
        }
    }

    /**
     * Gives all of it back. If UCX mapped memory there and unmapped it again, another thread may have mapped something
     * since: the range then stays as it is.
     */
    public void release() {
        if (AddressSpace.covers(address, bytes, NO_ACCESS)) {
            UcpCompat.unmap(MemorySegment.ofAddress(address), bytes);
        }
    }
}
