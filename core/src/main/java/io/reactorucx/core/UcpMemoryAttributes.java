package io.reactorucx.core;

import io.reactorucx.core.ffi.ucp_mem_attr;
import io.reactorucx.core.ffi.ucx_h;
import io.reactorucx.core.internal.NativeStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The attributes of mapped memory ({@code ucp_mem_query}).
 *
 * @param address first byte
 * @param length size in bytes, which UCX may have rounded up
 * @param memoryType where it is
 */
public record UcpMemoryAttributes(long address, long length, UcxMemoryType memoryType) {

    static UcpMemoryAttributes of(MemorySegment memory) {
        try (Arena call = Arena.ofConfined()) {
            MemorySegment attr = ucp_mem_attr.allocate(call);
            ucp_mem_attr.field_mask(attr, ucx_h.UCP_MEM_ATTR_FIELD_ADDRESS() | ucx_h.UCP_MEM_ATTR_FIELD_LENGTH()
                    | ucx_h.UCP_MEM_ATTR_FIELD_MEM_TYPE());
            NativeStatus.check(ucx_h.ucp_mem_query(memory, attr), "ucp_mem_query");
            return new UcpMemoryAttributes(ucp_mem_attr.address(attr).address(), ucp_mem_attr.length(attr),
                    UcxMemoryType.of(ucp_mem_attr.mem_type(attr)));
        }
    }
}
