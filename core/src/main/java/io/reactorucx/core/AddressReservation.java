package io.reactorucx.core;

import io.reactorucx.core.ffi.UcpCompat;
import io.reactorucx.core.internal.AddressSpace;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Address space that nothing else is in, held for UCX to allocate there. UCX replaces whatever it finds at the address that it is given,
 * the Java heap included; even where the address is only a hint.
 */
final class AddressReservation {

    private static final String NO_ACCESS = "---p";

    private final long address;
    private final long bytes;

    private AddressReservation(long address, long bytes) {
        this.address = address;
        this.bytes = bytes;
    }

    /** Takes twice the length, which UCX may round up to for large pages; null when something is there. */
    static @Nullable AddressReservation tryTake(long address, long length) {
        if (length > Long.MAX_VALUE / 4 || address > Long.MAX_VALUE - 4 * length) {
            return null;
        }
        long bytes = 2 * pages(length);
        return UcpCompat.reserve(address, bytes) ? new AddressReservation(address, bytes) : null;
    }

    private static long pages(long length) {
        return (length + AddressSpace.PAGE_BYTES - 1) / AddressSpace.PAGE_BYTES * AddressSpace.PAGE_BYTES;
    }

    /** Gives back what UCX did not take. */
    void allocated(UcpMemoryAttributes memory) {
        if (memory.address() != address) {
            UcpCompat.unmap(MemorySegment.ofAddress(address), bytes);
            return;
        }
        long used = pages(memory.length());
        if (used < bytes) {
            UcpCompat.unmap(MemorySegment.ofAddress(address + used), bytes - used);
        }
    }

    /** Gives all of it back. If UCX was there and left again, it may be somebody else's by now, and stays. */
    void failed() {
        if (AddressSpace.covers(address, bytes, NO_ACCESS)) {
            UcpCompat.unmap(MemorySegment.ofAddress(address), bytes);
        }
    }
}
