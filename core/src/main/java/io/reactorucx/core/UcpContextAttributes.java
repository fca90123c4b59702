package io.reactorucx.core;

import io.reactorucx.core.ffi.ucp_context_attr;
import io.reactorucx.core.ffi.ucx_h;
import io.reactorucx.core.internal.NativeStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/**
 * The attributes of a context ({@code ucp_context_query}).
 *
 * @param requestSize bytes that UCX needs for a request
 * @param threadMode {@link UcxThreadMode#MULTI} when workers of several threads may share it, else {@link
 *     UcxThreadMode#SINGLE}
 * @param memoryTypes kinds of memory that its transports know
 * @param name its name
 */
public record UcpContextAttributes(long requestSize, UcxThreadMode threadMode, Set<UcxMemoryType> memoryTypes,
        String name) {

    static UcpContextAttributes of(MemorySegment context) {
        try (Arena call = Arena.ofConfined()) {
            MemorySegment attr = ucp_context_attr.allocate(call);
            ucp_context_attr.field_mask(attr, ucx_h.UCP_ATTR_FIELD_REQUEST_SIZE() | ucx_h.UCP_ATTR_FIELD_THREAD_MODE()
                    | ucx_h.UCP_ATTR_FIELD_MEMORY_TYPES() | ucx_h.UCP_ATTR_FIELD_NAME());
            NativeStatus.check(ucx_h.ucp_context_query(context, attr), "ucp_context_query");
            return new UcpContextAttributes(ucp_context_attr.request_size(attr),
                    UcxThreadMode.of(ucp_context_attr.thread_mode(attr)),
                    UcxMemoryType.of(ucp_context_attr.memory_types(attr)), ucp_context_attr.name(attr).getString(0));
        }
    }
}
