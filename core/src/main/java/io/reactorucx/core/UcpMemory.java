package io.reactorucx.core;

import io.reactorucx.core.ffi.ucp_mem_attr;
import io.reactorucx.core.ffi.ucp_mem_map_params;
import io.reactorucx.core.ffi.ucx_h;
import io.reactorucx.core.internal.Arguments;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Memory that is registered with a context ({@code ucp_mem_h}), so that operations on it and remote access to it need no set-up.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> memory that UCX allocated ends with {@link #close()}; memory of the caller has to
 * stay alive until then. <b>Errors:</b> {@link #close()} refuses while an operation of this process uses the memory; accesses of peers
 * are not known to this side.
 */
public final class UcpMemory implements AutoCloseable {

    private static final int CLOSED = -1;

    private final UcpContext context;
    private final MemorySegment handle;
    private final MemorySegment segment;
    private final @Nullable Arena arena;
    private final AtomicInteger pins = new AtomicInteger();
    private final Pinned pinned = new Pinned() {
        @Override
        public void pin() {
            pinOnce();
        }

        @Override
        public void unpin() {
            pins.decrementAndGet();
        }
    };

    private UcpMemory(UcpContext context, MemorySegment handle, MemorySegment segment, @Nullable Arena arena) {
        this.context = context;
        this.handle = handle;
        this.segment = segment;
        this.arena = arena;
        context.mapped(this);
    }

    static UcpMemory register(UcpContext context, MemorySegment segment) {
        MemorySegment checked = Arguments.destination(segment, "segment");
        Arguments.positive(checked.byteSize(), "segment.byteSize()");
        try (Arena call = Arena.ofConfined()) {
            MemorySegment params = ucp_mem_map_params.allocate(call);
            ucp_mem_map_params.field_mask(params, ucx_h.UCP_MEM_MAP_PARAM_FIELD_ADDRESS() | ucx_h.UCP_MEM_MAP_PARAM_FIELD_LENGTH());
            ucp_mem_map_params.address(params, segment);
            ucp_mem_map_params.length(params, segment.byteSize());
            return new UcpMemory(context, map(context, params, call), segment, null);
        }
    }

    static UcpMemory allocate(UcpContext context, long bytes) {
        Arguments.positive(bytes, "bytes");
        Arena arena = Arena.ofShared();
        try (Arena call = Arena.ofConfined()) {
            MemorySegment params = ucp_mem_map_params.allocate(call);
            ucp_mem_map_params.field_mask(params, ucx_h.UCP_MEM_MAP_PARAM_FIELD_LENGTH() | ucx_h.UCP_MEM_MAP_PARAM_FIELD_FLAGS());
            ucp_mem_map_params.length(params, bytes);
            ucp_mem_map_params.flags(params, ucx_h.UCP_MEM_MAP_ALLOCATE());
            MemorySegment handle = map(context, params, call);
            try {
                MemorySegment attr = ucp_mem_attr.allocate(call);
                ucp_mem_attr.field_mask(attr, ucx_h.UCP_MEM_ATTR_FIELD_ADDRESS() | ucx_h.UCP_MEM_ATTR_FIELD_LENGTH());
                UcpContext.check(ucx_h.ucp_mem_query(handle, attr), "ucp_mem_query");
                MemorySegment segment = ucp_mem_attr.address(attr).reinterpret(bytes, arena, null).fill((byte) 0);
                return new UcpMemory(context, handle, segment, arena);
            } catch (RuntimeException e) {
                ucx_h.ucp_mem_unmap(context.handle(), handle);
                throw e;
            }
        } catch (RuntimeException e) {
            arena.close();
            throw e;
        }
    }

    private static MemorySegment map(UcpContext context, MemorySegment params, Arena call) {
        MemorySegment pointer = call.allocate(ValueLayout.ADDRESS);
        UcpContext.check(ucx_h.ucp_mem_map(context.handle(), params, pointer),
                "ucp_mem_map of " + ucp_mem_map_params.length(params) + " bytes");
        return pointer.get(ValueLayout.ADDRESS, 0);
    }

    /** {@return the memory; not accessible any more after {@link #close()} when UCX allocated it} */
    public MemorySegment segment() {
        return segment;
    }

    /**
     * What peers need to reach all of this memory ({@code ucp_rkey_pack}).
     *
     * @return the descriptor, valid until {@link #close()}
     */
    public MemoryDescriptor descriptor() {
        return descriptor(0, segment.byteSize());
    }

    /**
     * What peers need to reach a part of this memory.
     *
     * @param offset first byte
     * @param length size in bytes, at least 1
     * @return the descriptor, valid until {@link #close()}
     */
    public MemoryDescriptor descriptor(long offset, long length) {
        context.checkThread();
        context.requireMemoryAccess("ucp_rkey_pack");
        Arguments.positive(length, "length");
        Arguments.bounds(offset, length, segment.byteSize(), "window");
        pinned.pin();
        try (Arena call = Arena.ofConfined()) {
            MemorySegment pointer = call.allocate(ValueLayout.ADDRESS);
            MemorySegment size = call.allocate(ValueLayout.JAVA_LONG);
            UcpContext.check(ucx_h.ucp_rkey_pack(context.handle(), handle, pointer, size), "ucp_rkey_pack");
            MemorySegment packed = pointer.get(ValueLayout.ADDRESS, 0);
            try {
                byte[] key = packed.reinterpret(size.get(ValueLayout.JAVA_LONG, 0)).toArray(ValueLayout.JAVA_BYTE);
                return new MemoryDescriptor(segment.address() + offset, length, key);
            } finally {
                ucx_h.ucp_rkey_buffer_release(packed);
            }
        } finally {
            pinned.unpin();
        }
    }

    /** Memory of an operation, which has to be part of the registration that is passed along with it, if one is. */
    static MemorySegment within(@Nullable UcpMemory registration, MemorySegment local) {
        if (registration != null && local.byteSize() > 0 && !registration.contains(local)) {
            throw new IllegalArgumentException("registration: the " + local.byteSize() + " bytes are not part of this registered memory");
        }
        return local;
    }

    /** Whether UCX allocated the memory, so that it ends with the registration. */
    boolean isAllocated() {
        return arena != null;
    }

    boolean contains(MemorySegment other) {
        long offset = other.address() - segment.address();
        return offset >= 0 && offset + other.byteSize() <= segment.byteSize();
    }

    UcpContext context() {
        return context;
    }

    MemorySegment handle() {
        return handle;
    }

    /** What an operation on this memory holds. */
    Pinned pinned() {
        return pinned;
    }

    private void pinOnce() {
        int before;
        do {
            before = pins.get();
            if (before == CLOSED) {
                throw new UcxClosedException("registered memory", "the registration of " + segment.byteSize() + " bytes");
            }
        } while (!pins.compareAndSet(before, before + 1));
    }

    /** {@return whether the registration has ended} */
    public boolean isClosed() {
        return pins.get() == CLOSED;
    }

    @Override
    public void close() {
        context.checkThread();
        if (!pins.compareAndSet(0, CLOSED)) {
            int uses = pins.get();
            if (uses > 0) {
                throw new IllegalStateException("registered memory: " + uses + " operations still use it");
            }
            return;
        }
        if (arena != null) {
            try {
                arena.close();
            } catch (IllegalStateException e) {
                // Some thread is reading or writing the memory at this moment; it may be closed later.
                pins.set(0);
                throw e;
            }
        }
        ucx_h.ucp_mem_unmap(context.handle(), handle);
        context.unmapped(this);
    }
}
