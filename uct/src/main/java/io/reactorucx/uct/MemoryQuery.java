package io.reactorucx.uct;

import io.reactorucx.core.Ucx;
import io.reactorucx.core.UcxMemoryType;
import io.reactorucx.core.error.UcxUnsupportedException;
import io.reactorucx.core.ffi.uct_md_mem_attr;
import io.reactorucx.core.ffi.ucx_h;
import io.reactorucx.core.internal.Arguments;
import io.reactorucx.core.internal.NativeStatus;
import io.reactorucx.uct.internal.Bits;
import io.reactorucx.uct.internal.MemoryTypes;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashSet;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;

/** Queries of memory, which only domains of accelerators support. */
final class MemoryQuery {

    private MemoryQuery() {
    }

    static void check(MemorySegment segment) {
        Arguments.positive(Arguments.source(segment, "segment").byteSize(), "segment.byteSize()");
    }

    /** Returns a set of fields of its own, after the checks. */
    static Set<UctMemoryAttributes.Field> checked(Set<UctMemoryAttributes.Field> fields) {
        Set<UctMemoryAttributes.Field> asked = new HashSet<>(Objects.requireNonNull(fields, "fields"));
        Arguments.range(asked.size(), 1, UctMemoryAttributes.Field.values().length, "fields.size()");
        return asked;
    }

    static UctMemoryAttributes query(MemorySegment domain, MemorySegment segment,
            Set<UctMemoryAttributes.Field> asked) {
        if (asked.contains(UctMemoryAttributes.Field.DMABUF_OFFSET)) {
            asked.add(UctMemoryAttributes.Field.DMABUF_FD);
        }
        if (asked.contains(UctMemoryAttributes.Field.DMABUF_FD) && !Ucx.version().isAtLeast(1, 14)) {
            throw new UcxUnsupportedException("uct_md_mem_query", "dmabuf came with UCX 1.14, this is "
                    + Ucx.version());
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attr = uct_md_mem_attr.allocate(arena);
            uct_md_mem_attr.field_mask(attr, Bits.encode(asked, UctMemoryAttributes.Field::bit));
            uct_md_mem_attr.mem_type(attr, MemoryTypes.count(Ucx.version()));
            uct_md_mem_attr.sys_dev(attr, (byte) ucx_h.UCS_SYS_DEVICE_ID_UNKNOWN());
            uct_md_mem_attr.dmabuf_fd(attr, ucx_h.UCT_DMABUF_FD_INVALID());
            NativeStatus.check(ucx_h.uct_md_mem_query(domain, segment, segment.byteSize(), attr),
                    "uct_md_mem_query");
            int fd = uct_md_mem_attr.dmabuf_fd(attr);
            OptionalInt device = UctResource.systemDevice(uct_md_mem_attr.sys_dev(attr));
            return new UctMemoryAttributes(MemoryTypes.of(uct_md_mem_attr.mem_type(attr)), device,
                    uct_md_mem_attr.base_address(attr).address(), uct_md_mem_attr.alloc_length(attr),
                    fd == ucx_h.UCT_DMABUF_FD_INVALID() ? null
                            : new UctDmabuf(fd, uct_md_mem_attr.dmabuf_offset(attr)));
        }
    }

    static UcxMemoryType detect(MemorySegment domain, MemorySegment segment) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment type = arena.allocate(ValueLayout.JAVA_INT);
            NativeStatus.check(ucx_h.uct_md_detect_memory_type(domain, segment, segment.byteSize(), type),
                    "uct_md_detect_memory_type");
            return MemoryTypes.of(type.get(ValueLayout.JAVA_INT, 0));
        }
    }
}
