package io.reactorucx.core.internal;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Collection;
import java.util.Objects;

/** Checks in front of native calls: UCX would abort the process or corrupt memory where these throw. */
public final class Arguments {

    /** Longest name that UCX keeps. */
    public static final int MAX_NAME_LENGTH = 31;

    private static final long PADDING_BYTES = 64 * 1024;

    private Arguments() {
    }

    /** A set or a list of which no element is missing. */
    public static <E, C extends Collection<E>> C elements(C collection, String name) {
        for (E each : Objects.requireNonNull(collection, name)) {
            Objects.requireNonNull(each, name);
        }
        return collection;
    }

    /** Memory that this call copies, which may be on the Java heap. */
    public static void readable(MemorySegment segment, String name) {
        Objects.requireNonNull(segment, name);
        requireAccess(segment, name);
    }

    /** A header of an active message; UCX 1.13 checks no size. */
    public static void header(MemorySegment header, int maxBytes) {
        readable(header, "header");
        if (header.byteSize() > maxBytes) {
            throw new IllegalArgumentException("header of " + header.byteSize() + " bytes: at most " + maxBytes);
        }
    }

    /** Memory that UCX reads, from the call until the operation has completed. */
    public static MemorySegment source(MemorySegment segment, String name) {
        Objects.requireNonNull(segment, name);
        if (segment.byteSize() == 0) {
            return MemorySegment.NULL;
        }
        if (!segment.isNative()) {
            throw new IllegalArgumentException(name + ": " + segment.byteSize()
                    + " bytes on the Java heap; UCX keeps the address after the call, use native memory (Arena.ofAuto,"
                    + " UcxArena or a pooled buffer)");
        }
        if (segment.address() == 0) {
            throw new IllegalArgumentException(name + ": " + segment.byteSize() + " bytes at the address 0");
        }
        requireAccess(segment, name);
        return segment;
    }

    private static void requireAccess(MemorySegment segment, String name) {
        if (!segment.scope().isAlive()) {
            throw new IllegalArgumentException(name + ": the arena of these " + segment.byteSize()
                    + " bytes is closed");
        }
        if (!segment.isAccessibleBy(Thread.currentThread())) {
            throw new IllegalArgumentException(name + ": " + segment.byteSize()
                    + " bytes of another thread's confined arena; use a UcxArena or an automatic arena");
        }
    }

    /** Memory that UCX writes, from the call until the operation has completed. */
    public static MemorySegment destination(MemorySegment segment, String name) {
        MemorySegment checked = source(segment, name);
        if (segment.isReadOnly()) {
            throw new IllegalArgumentException(name + ": " + segment.byteSize()
                    + " bytes that are read-only, and would be written");
        }
        return checked;
    }

    /**
     * Bytes for one of UCX's parsers, which get no length: the zeros behind them stop a parser that garbage would make
     * read on.
     */
    public static MemorySegment padded(byte[] bytes, Arena arena) {
        MemorySegment padded = arena.allocate(bytes.length + PADDING_BYTES);
        MemorySegment.copy(bytes, 0, padded, ValueLayout.JAVA_BYTE, 0, bytes.length);
        return padded;
    }

    /** Checks a name: UCX would cut a longer name, and end it at a 0. */
    public static String name(String value, String name) {
        Objects.requireNonNull(value, name);
        if (value.length() > MAX_NAME_LENGTH || value.indexOf(0) >= 0) {
            throw new IllegalArgumentException(name + " " + value + ": must be at most " + MAX_NAME_LENGTH
                    + " characters, none of them 0");
        }
        return value;
    }

    public static void aligned(long address, int bytes, String name) {
        if (address % bytes != 0) {
            throw new IllegalArgumentException(name + " at address 0x" + Long.toHexString(address)
                    + ": must be a multiple of " + bytes);
        }
    }

    public static int range(int value, int min, int max, String name) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(name + " " + value + ": must be in " + min + ".." + max);
        }
        return value;
    }

    public static long positive(long value, String name) {
        if (value < 1) {
            throw new IllegalArgumentException(name + " " + value + ": must be at least 1");
        }
        return value;
    }

    /** Throws unless [offset, offset + length) lies within [0, limit). */
    public static void bounds(long offset, long length, long limit, String name) {
        if (offset < 0 || length < 0 || offset > limit - length) {
            throw new IndexOutOfBoundsException(
                    name + ": " + length + " bytes at offset " + offset + " do not fit into " + limit + " bytes");
        }
    }
}
