package io.reactorucx.core;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.ffi.ucp_mem_map_params;
import io.reactorucx.core.ffi.ucx_h;
import io.reactorucx.core.internal.Arguments;
import io.reactorucx.core.internal.NativeStatus;
import io.reactorucx.core.internal.address.ExportedHandle;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A peer's memory as its exported handle gives it to this process, from UCX 1.14 on and with devices that can do that.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> close it before the context. <b>Errors:</b> {@link UcxException}
 * with UCX's status.
 */
public final class UcpImportedMemory implements AutoCloseable {

    private static final int MAX_BYTES = 64 * 1024;

    private final UcpContext context;
    private final MemorySegment handle;
    private final UcpMemoryAttributes attributes;
    private final AtomicBoolean closed = new AtomicBoolean();

    private UcpImportedMemory(UcpContext context, MemorySegment handle) {
        this.context = context;
        this.handle = handle;
        this.attributes = UcpMemoryAttributes.of(handle);
        context.mapped();
    }

    static UcpImportedMemory of(UcpContext context, byte[] exported) {
        Objects.requireNonNull(exported, "exported");
        context.support(UcpCapability.EXPORTED_MEMORY).require("ucp_mem_map of exported memory");
        Arguments.range(exported.length, 1, MAX_BYTES, "exported.length");
        ExportedHandle.checked(exported, UcxMemoryType.known());
        try (Arena call = Arena.ofConfined()) {
            MemorySegment params = ucp_mem_map_params.allocate(call);
            ucp_mem_map_params.field_mask(params, ucx_h.UCP_MEM_MAP_PARAM_FIELD_EXPORTED_MEMH_BUFFER());
            ucp_mem_map_params.exported_memh_buffer(params, Arguments.padded(exported, call));
            MemorySegment pointer = call.allocate(ValueLayout.ADDRESS);
            NativeStatus.check(ucx_h.ucp_mem_map(context.handle(), params, pointer), "ucp_mem_map of exported memory");
            return new UcpImportedMemory(context, pointer.get(ValueLayout.ADDRESS, 0));
        }
    }

    /** {@return address and length in the peer's process, and where the memory is; not to be touched here} */
    public UcpMemoryAttributes attributes() {
        return attributes;
    }

    /** {@return whether {@link #close()} was called} */
    public boolean isClosed() {
        return closed.get();
    }

    @Override
    public void close() {
        context.checkThread();
        if (closed.compareAndSet(false, true)) {
            ucx_h.ucp_mem_unmap(context.handle(), handle);
            context.unmapped();
        }
    }
}
