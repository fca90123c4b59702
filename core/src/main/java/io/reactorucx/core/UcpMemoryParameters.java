package io.reactorucx.core;

import io.reactorucx.core.internal.Arguments;
import io.reactorucx.core.internal.memory.AddressSpace;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How memory is mapped ({@code ucp_mem_map_params_t}). Which combinations mean something:
 *
 * <table><caption>as UCX has them, with what it calls an address split in two</caption>
 * <tr><th>flags</th><th>segment</th><th>address</th><th>result</th></tr>
 * <tr><td>none</td><td>given</td><td>0</td><td>registers memory of the caller</td></tr>
 * <tr><td>ALLOCATE</td><td>null</td><td>0</td><td>allocates and registers</td></tr>
 * <tr><td>ALLOCATE</td><td>null</td><td>given</td><td>allocates there if it can, and registers</td></tr>
 * <tr><td>ALLOCATE, FIXED</td><td>null</td><td>given</td><td>allocates exactly there, and registers</td></tr>
 * </table>
 *
 * <p>Every other combination is refused. NONBLOCK, LOCK and SYMMETRIC_RKEY may be added to each, but NONBLOCK and LOCK
 * exclude each other.
 *
 * @param segment memory of the caller, native, of a {@link UcxArena}, an automatic or the global arena; null where UCX
 *     allocates
 * @param length bytes to allocate; of the segment where there is one
 * @param address where to allocate, a multiple of the page size; 0 for the system's choice
 * @param flags how to map
 * @param memoryType where the memory is, null for UCX to find out
 * @param protection what it may be used for; empty for everything
 */
public record UcpMemoryParameters(@Nullable MemorySegment segment, long length, long address, Set<MemoryMapFlag> flags,
        @Nullable UcxMemoryType memoryType, Set<MemoryProtection> protection) {

    /** Checks the combination, and copies the sets. */
    public UcpMemoryParameters {
        EnumSet<MemoryMapFlag> copy = EnumSet.noneOf(MemoryMapFlag.class);
        copy.addAll(Arguments.elements(flags, "flags"));
        flags = Collections.unmodifiableSet(copy);
        EnumSet<MemoryProtection> uses = EnumSet.noneOf(MemoryProtection.class);
        uses.addAll(Arguments.elements(protection, "protection"));
        protection = Collections.unmodifiableSet(uses);
        boolean allocate = flags.contains(MemoryMapFlag.ALLOCATE);
        boolean fixed = flags.contains(MemoryMapFlag.FIXED);
        if (fixed && !allocate) {
            throw new IllegalArgumentException("flags " + flags
                    + ": FIXED says where to ALLOCATE, and goes only with it");
        }
        if (fixed && address == 0) {
            throw new IllegalArgumentException("flags " + flags + ": FIXED needs an address");
        }
        if (allocate && segment != null) {
            throw new IllegalArgumentException("flags " + flags + ": with ALLOCATE the memory is UCX's, the segment of"
                    + " the caller has no use");
        }
        if (!allocate && segment == null) {
            throw new IllegalArgumentException("segment: needed unless UCX has to ALLOCATE the memory");
        }
        if (address != 0 && !allocate) {
            throw new IllegalArgumentException("address 0x" + Long.toHexString(address)
                    + ": says where to ALLOCATE, and goes only with it");
        }
        if (address < 0 || address % AddressSpace.PAGE_BYTES != 0) {
            throw new IllegalArgumentException("address 0x" + Long.toHexString(address)
                    + ": must be a positive multiple of " + AddressSpace.PAGE_BYTES);
        }
        if (copy.containsAll(EnumSet.of(MemoryMapFlag.NONBLOCK, MemoryMapFlag.LOCK))) {
            throw new IllegalArgumentException("flags " + flags + ": NONBLOCK and LOCK exclude each other");
        }
        if (segment != null) {
            Arguments.positive(Arguments.destination(segment, "segment").byteSize(), "segment.byteSize()");
            length = segment.byteSize();
        }
        Arguments.positive(length, "bytes");
    }

    /**
     * Registers memory of the caller.
     *
     * @param segment the memory
     * @param flags how to map it
     * @return parameters
     */
    public static UcpMemoryParameters register(MemorySegment segment, MemoryMapFlag... flags) {
        Objects.requireNonNull(segment, "segment");
        return new UcpMemoryParameters(segment, 0, 0, set(flags), null, Set.of());
    }

    /**
     * Lets UCX allocate.
     *
     * @param bytes size
     * @param flags how to map it, besides {@link MemoryMapFlag#ALLOCATE}
     * @return parameters
     */
    public static UcpMemoryParameters allocate(long bytes, MemoryMapFlag... flags) {
        return allocateAt(0, bytes, flags);
    }

    /**
     * Lets UCX allocate at an address, exactly there with {@link MemoryMapFlag#FIXED}, else where it can. Existing
     * mappings are never replaced.
     *
     * @param address a multiple of the page size
     * @param bytes size
     * @param flags how to map it, besides {@link MemoryMapFlag#ALLOCATE}
     * @return parameters
     */
    public static UcpMemoryParameters allocateAt(long address, long bytes, MemoryMapFlag... flags) {
        Set<MemoryMapFlag> all = set(flags);
        all.add(MemoryMapFlag.ALLOCATE);
        return new UcpMemoryParameters(null, bytes, address, all, null, Set.of());
    }

    private static Set<MemoryMapFlag> set(MemoryMapFlag... flags) {
        Set<MemoryMapFlag> all = EnumSet.noneOf(MemoryMapFlag.class);
        all.addAll(Arguments.elements(Arrays.asList(Objects.requireNonNull(flags, "flags")), "flags"));
        return all;
    }

    /**
     * Says where the memory is, which spares UCX finding out.
     *
     * @param type its type, which the host has to be able to reach
     * @return other parameters
     */
    public UcpMemoryParameters of(UcxMemoryType type) {
        return new UcpMemoryParameters(segment, length, address, flags, Objects.requireNonNull(type, "type"),
                protection);
    }

    /**
     * Says what the memory is used for.
     *
     * @param first one use
     * @param more others
     * @return other parameters
     */
    public UcpMemoryParameters protectedFor(MemoryProtection first, MemoryProtection... more) {
        return new UcpMemoryParameters(segment, length, address, flags, memoryType, EnumSet.of(first, more));
    }
}
