package io.reactorucx.core.uct;

import io.reactorucx.core.ffi.UctCompat;
import java.util.Optional;

/**
 * A part of the address space that nothing else takes while UCX maps memory there. UCX replaces whatever is at a fixed address, and with
 * some domains at a mere hint, which would be memory of the JVM as soon as not.
 */
final class AddressReservation {

    private static final long PAGE_BYTES = UctCompat.getpagesize();

    private final long address;
    private final long bytes;

    private AddressReservation(long address, long bytes) {
        this.address = address;
        this.bytes = bytes;
    }

    static void checkAligned(long address) {
        if (address <= 0 || address % PAGE_BYTES != 0) {
            throw new IllegalArgumentException("address 0x" + Long.toHexString(address) + ": for FIXED a positive multiple of "
                    + PAGE_BYTES + ", the page size");
        }
    }

    /** Reserves what memory at an address may take: UCX rounds up to huge pages, to less than twice the size. Empty if it is not free. */
    static Optional<AddressReservation> reserve(long address, long bytes) {
        long start = address & -PAGE_BYTES;
        if (start <= 0 || bytes > Long.MAX_VALUE / 4 || start > Long.MAX_VALUE - 2 * bytes - 2 * PAGE_BYTES) {
            return Optional.empty();
        }
        long reserved = 2 * (bytes + PAGE_BYTES - 1 & -PAGE_BYTES);
        long mapped = UctCompat.mmap(start, reserved, UctCompat.PROT_NONE,
                UctCompat.MAP_PRIVATE | UctCompat.MAP_ANONYMOUS | UctCompat.MAP_NORESERVE | UctCompat.MAP_FIXED_NOREPLACE, -1, 0);
        if (mapped == -1) {
            return Optional.empty();
        }
        AddressReservation reservation = new AddressReservation(mapped, reserved);
        if (mapped != start) {
            // A kernel before 4.17 takes the address for a hint.
            reservation.release(0);
            return Optional.empty();
        }
        return Optional.of(reservation);
    }

    long address() {
        return address;
    }

    /** Gives back what comes after memory that was mapped at the beginning. */
    void release(long keptBytes) {
        long kept = keptBytes + PAGE_BYTES - 1 & -PAGE_BYTES;
        if (kept < bytes) {
            UctCompat.munmap(address + kept, bytes - kept);
        }
    }
}
