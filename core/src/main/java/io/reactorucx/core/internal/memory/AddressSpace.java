package io.reactorucx.core.internal.memory;

import io.reactorucx.core.ffi.UcpCompat;
import io.reactorucx.core.internal.LoadedLibraries;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/** The mappings of this process ({@code /proc/self/maps}). */
public final class AddressSpace {

    public static final long PAGE_BYTES = UcpCompat.pageSize();

    private static final int HEXADECIMAL = 16;

    private AddressSpace() {
    }

    /** Returns whether all of a range is mapped with some rights, {@code rw} for example. */
    public static boolean covers(long address, long bytes, String rights) {
        try {
            return covers(LoadedLibraries.maps(), address, bytes, rights);
        } catch (IOException e) {
            throw new UncheckedIOException("the mappings of this process cannot be read", e);
        }
    }

    /**
     * Returns whether a range is part of one shared, readable and writable mapping, which the JVM's own memory is not.
     */
    public static boolean isSharedMapping(long address, long bytes) {
        try {
            return isSharedMapping(LoadedLibraries.maps(), address, bytes);
        } catch (IOException e) {
            throw new UncheckedIOException("the mappings of this process cannot be read", e);
        }
    }

    public static boolean isSharedMapping(List<String> maps, long address, long bytes) {
        return maps.stream().anyMatch(line -> covers(List.of(line), address, bytes, "rw-s"));
    }

    /** Lines are in the order of addresses: {@code 7f2d0000-7f2e0000 r--p 00000000 08:01 55 /usr/lib/x}. */
    public static boolean covers(List<String> maps, long address, long bytes, String rights) {
        long next = address;
        long end = address + bytes;
        for (String line : maps) {
            int dash = line.indexOf('-');
            int space = line.indexOf(' ');
            if (dash < 0 || space < dash) {
                continue;
            }
            long from = Long.parseUnsignedLong(line, 0, dash, HEXADECIMAL);
            long to = Long.parseUnsignedLong(line, dash + 1, space, HEXADECIMAL);
            if (Long.compareUnsigned(from, next) <= 0 && Long.compareUnsigned(next, to) < 0) {
                if (!line.startsWith(rights, space + 1)) {
                    return false;
                }
                next = to;
                if (Long.compareUnsigned(next, end) >= 0) {
                    return true;
                }
            }
        }
        return false;
    }
}
