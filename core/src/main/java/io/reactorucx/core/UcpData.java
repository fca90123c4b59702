package io.reactorucx.core;

import io.reactorucx.core.error.UcxUnsupportedException;
import io.reactorucx.core.ffi.UcpMacros;
import io.reactorucx.core.ffi.ucp_datatype_attr;
import io.reactorucx.core.ffi.ucp_dt_iov;
import io.reactorucx.core.ffi.ucx_h;
import io.reactorucx.core.internal.Arguments;
import io.reactorucx.core.internal.NativeStatus;
import io.reactorucx.core.internal.memory.HeldMemory;
import io.reactorucx.core.internal.memory.Pinned;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The data of an operation and how it is laid out ({@code ucp_datatype_t}): bytes, elements of one size, a list of
 * segments, or data that a {@link GenericDatatype} packs.
 *
 * <p><b>Threading:</b> immutable, but for the memory it names. <b>Ownership:</b> the memory has to stay alive until the
 * operation has ended. <b>Errors:</b> {@link IllegalArgumentException} for sizes that do not fit; the memory is checked
 * when an operation is posted.
 */
public final class UcpData {

    /** Largest number of segments of one list. */
    public static final int MAX_SEGMENTS = 4096;

    /** UCX's number for a list of segments ({@code ucp_dt_make_iov}). */
    private static final long IOV = 2;

    private final List<MemorySegment> segments;
    private final @Nullable UcpMemory registration;
    private final long elementBytes;
    private final @Nullable GenericDatatype generic;
    private final UcxMemoryType memoryType;

    private UcpData(List<MemorySegment> segments, @Nullable UcpMemory registration, long elementBytes,
            @Nullable GenericDatatype generic) {
        this(segments, registration, elementBytes, generic, UcxMemoryType.HOST);
    }

    private UcpData(List<MemorySegment> segments, @Nullable UcpMemory registration, long elementBytes,
            @Nullable GenericDatatype generic, UcxMemoryType memoryType) {
        this.memoryType = memoryType;
        this.segments = segments;
        this.registration = registration;
        this.elementBytes = elementBytes;
        this.generic = generic;
    }

    /**
     * Bytes.
     *
     * @param memory native memory, may be empty
     * @return the data
     */
    public static UcpData of(MemorySegment memory) {
        return of(memory, null);
    }

    /**
     * Bytes of registered memory.
     *
     * @param memory native memory, may be empty
     * @param registration the registered memory that it is part of, if it is
     * @return the data
     */
    public static UcpData of(MemorySegment memory, @Nullable UcpMemory registration) {
        return new UcpData(List.of(Objects.requireNonNull(memory, "memory")), registration, 1, null);
    }

    /**
     * Elements of one size ({@code ucp_dt_make_contig}): a stream hands over whole ones only.
     *
     * @param memory native memory, a multiple of the size long
     * @param elementBytes size of an element, at least 1
     * @return the data
     */
    public static UcpData elements(MemorySegment memory, long elementBytes) {
        Objects.requireNonNull(memory, "memory");
        Arguments.positive(elementBytes, "elementBytes");
        if (elementBytes > Integer.MAX_VALUE || memory.byteSize() % elementBytes != 0) {
            throw new IllegalArgumentException("elementBytes " + elementBytes + ": must divide the " + memory.byteSize()
                    + " bytes of memory, and be at most " + Integer.MAX_VALUE);
        }
        return new UcpData(List.of(memory), null, elementBytes, null);
    }

    /**
     * Segments that make one message, in their order ({@code ucp_dt_make_iov}).
     *
     * @param segments native memory, 1 to {@value #MAX_SEGMENTS} pieces, some or all of which may be empty
     * @return the data
     */
    public static UcpData ofSegments(List<MemorySegment> segments) {
        List<MemorySegment> copy = List.copyOf(Arguments.elements(segments, "segments"));
        Arguments.range(copy.size(), 1, MAX_SEGMENTS, "segments.size()");
        long bytes = 0;
        for (MemorySegment each : copy) {
            bytes = Math.addExact(bytes, each.byteSize());
        }
        return new UcpData(copy, null, 0, null);
    }

    /**
     * Data that packs or unpacks itself ({@code ucp_dt_create_generic}).
     *
     * @param datatype asked for its state when an operation is posted
     * @return the data
     */
    public static UcpData generic(GenericDatatype datatype) {
        return new UcpData(List.of(), null, 0, Objects.requireNonNull(datatype, "datatype"));
    }

    /**
     * The same data, where it is, for memory that is not the host's ({@code UCP_OP_ATTR_FIELD_MEMORY_TYPE}).
     *
     * @param type where the memory is; a type that the context does not know is refused when an operation is posted
     * @return the data
     */
    public UcpData in(UcxMemoryType type) {
        return new UcpData(segments, registration, elementBytes, generic, Objects.requireNonNull(type, "type"));
    }

    /** {@return size of the memory in bytes; 0 for a generic datatype, whose size is known when it is posted} */
    public long byteSize() {
        long bytes = 0;
        for (MemorySegment each : segments) {
            bytes += each.byteSize();
        }
        return bytes;
    }

    /**
     * How many bytes UCX makes of it ({@code ucp_dt_query}, from UCX 1.14 on).
     *
     * @param context asked whether it can
     * @return size of the packed form
     */
    public long packedSize(UcpContext context) {
        context.support(UcpCapability.DATATYPE_QUERY).require("dt_query");
        if (generic != null) {
            throw new UcxUnsupportedException("dt_query", "a generic datatype has a size only within an operation");
        }
        check(false, "data");
        try (Arena call = Arena.ofConfined()) {
            Native buffer = toNative();
            MemorySegment attr = ucp_datatype_attr.allocate(call);
            ucp_datatype_attr.field_mask(attr, ucx_h.UCP_DATATYPE_ATTR_FIELD_PACKED_SIZE()
                    | ucx_h.UCP_DATATYPE_ATTR_FIELD_BUFFER()
                    | ucx_h.UCP_DATATYPE_ATTR_FIELD_COUNT());
            ucp_datatype_attr.buffer(attr, buffer.buffer());
            ucp_datatype_attr.count(attr, buffer.count());
            try {
                NativeStatus.check(ucx_h.ucp_dt_query(datatype(), attr), "dt_query");
            } finally {
                Reference.reachabilityFence(buffer);
            }
            return ucp_datatype_attr.packed_size(attr);
        }
    }

    /**
     * Copies the bytes to one segment. Not for a generic datatype, or memory that the processor may not reach.
     *
     * @return native memory that lives as long as it is reachable
     */
    public MemorySegment copied() {
        if (generic != null || memoryType != UcxMemoryType.HOST) {
            throw new UcxUnsupportedException("copy", "only bytes of the host's memory can be copied");
        }
        check(false, "payload");
        if (registration == null) {
            // Refused here as well, so that it does not depend on the size which memory may be sent.
            segments.forEach(each -> HeldMemory.pinned(each, "payload"));
        }
        MemorySegment copy = Arena.ofAuto().allocate(byteSize());
        long at = 0;
        for (MemorySegment each : segments) {
            MemorySegment.copy(each, 0, copy, at, each.byteSize());
            at += each.byteSize();
        }
        return copy;
    }

    UcxMemoryType memoryType() {
        return memoryType;
    }

    @Nullable GenericDatatype generic() {
        return generic;
    }

    @Nullable UcpMemory registration() {
        return registration;
    }

    /** Returns the segments of the memory, which keep it reachable. */
    List<MemorySegment> segments() {
        return segments;
    }

    boolean isBytes() {
        return elementBytes == 1;
    }

    /** Throws unless UCX may read, or write, all of the memory. */
    void check(boolean written, String name) {
        for (MemorySegment each : segments) {
            MemorySegment checked = written ? Arguments.destination(each, name) : Arguments.source(each, name);
            UcpMemory.within(registration, checked);
        }
    }

    @Nullable Pinned pinned(UcpContext context, String name) {
        Pinned all = null;
        for (MemorySegment each : segments) {
            Pinned one = context.pinned(registration, each, name);
            if (one != null) {
                all = Pinned.both(one, all);
            }
        }
        return all;
    }

    long datatype() {
        return elementBytes > 0 ? UcpMacros.contiguous(elementBytes) : IOV;
    }

    /**
     * Returns the buffer and the count for UCX: the memory, or a list of segments that lives as long as it is
     * reachable.
     */
    Native toNative() {
        if (elementBytes > 0) {
            MemorySegment memory = segments.getFirst();
            return new Native(memory.byteSize() == 0 ? MemorySegment.NULL : memory, memory.byteSize() / elementBytes);
        }
        return iov(segments, byteSize());
    }

    /** The first bytes of the memory; UCX takes the room that it is given for the length of an active message. */
    Native toNative(long bytes) {
        if (elementBytes == 1) {
            MemorySegment memory = segments.getFirst();
            return new Native(memory.byteSize() == 0 ? MemorySegment.NULL : memory, bytes);
        }
        return elementBytes > 0 ? toNative() : iov(segments, bytes);
    }

    private static Native iov(List<MemorySegment> segments, long bytes) {
        List<MemorySegment> filled = segments.stream().filter(each -> each.byteSize() > 0).toList();
        MemorySegment array = ucp_dt_iov.allocateArray(Math.max(1, filled.size()), Arena.ofAuto());
        long left = bytes;
        int count = 0;
        for (MemorySegment each : filled) {
            if (left == 0 && count > 0) {
                break;
            }
            MemorySegment entry = ucp_dt_iov.asSlice(array, count++);
            ucp_dt_iov.buffer(entry, each);
            ucp_dt_iov.length(entry, Math.min(left, each.byteSize()));
            left -= Math.min(left, each.byteSize());
        }
        // Never an empty list: UCX reads its first entry.
        return new Native(array, Math.max(1, count));
    }

    /** Two arguments of a call. */
    record Native(MemorySegment buffer, long count) {
    }
}
