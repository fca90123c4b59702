package io.reactorucx.core;

import io.reactorucx.core.ffi.UcpDirect;
import io.reactorucx.core.ffi.ucp_request_param_t;
import io.reactorucx.core.ffi.ucx_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The one {@code ucp_request_param_t} of a worker, filled anew for each call.
 *
 * <p>One is enough because UCX reads it only during the call and nothing is posted from inside a callback. It is
 * written by its address without a check of its arena, because every caller has checked that the worker is open.
 */
final class RequestParameters {

    /** Plain bytes, which need no datatype. */
    static final long BYTES = 0;

    private static final int COMMON = ucx_h.UCP_OP_ATTR_FIELD_CALLBACK() | ucx_h.UCP_OP_ATTR_FIELD_USER_DATA()
            | ucx_h.UCP_OP_ATTR_FIELD_MEMORY_TYPE();

    /** No mask, since UCX has not given all bits a meaning. */
    private static final int UNKNOWN = -1;

    private final UcpContext context;
    private final MemorySegment struct;
    private final long address;
    /**
     * The mask, flags and callback that the last call has filled in, the mask {@link #UNKNOWN} if more was changed
     * since: messages of one kind follow each other, and differ in their token.
     */
    private int filledMask = UNKNOWN;
    private int filledFlags;
    private long filledCallback;

    RequestParameters(Arena arena, UcpContext context) {
        this.context = context;
        struct = ucp_request_param_t.allocate(arena);
        address = struct.address();
    }

    MemorySegment of(MemorySegment stub, long token, @Nullable UcpMemory registration) {
        return of(stub, token, registration, 0, 0);
    }

    /** For an operation without a callback. */
    MemorySegment plain() {
        filledMask = UNKNOWN;
        ucp_request_param_t.op_attr_mask(struct, 0);
        return struct;
    }

    MemorySegment withFlags(MemorySegment stub, long token, @Nullable UcpMemory registration, int flags) {
        return of(stub, token, registration, ucx_h.UCP_OP_ATTR_FIELD_FLAGS(), flags);
    }

    /** Lets the callback run always, also inside the call: the only way to tag and length before UCX 1.16. */
    MemorySegment withoutImmediateCompletion(MemorySegment stub, long token, @Nullable UcpMemory registration) {
        return of(stub, token, registration, ucx_h.UCP_OP_ATTR_FLAG_NO_IMM_CMPL(), 0);
    }

    /** For an atomic operation, which UCX 1.13 would report as done before it is when it has no reply. */
    MemorySegment forAtomic(MemorySegment stub, long token, long datatype, @Nullable MemorySegment reply) {
        int attributes = ucx_h.UCP_OP_ATTR_FIELD_DATATYPE() | (reply == null
                ? ucx_h.UCP_OP_ATTR_FLAG_NO_IMM_CMPL() : ucx_h.UCP_OP_ATTR_FIELD_REPLY_BUFFER());
        ucp_request_param_t.datatype(struct, datatype);
        ucp_request_param_t.reply_buffer(struct, reply == null ? MemorySegment.NULL : reply);
        return of(stub, token, null, attributes, 0);
    }

    /** For an operation with all options. */
    MemorySegment forData(MemorySegment stub, long token, long datatype, @Nullable UcpMemory registration,
            int attributes, int flags, UcxMemoryType memoryType) {
        int all = attributes | (flags == 0 ? 0 : ucx_h.UCP_OP_ATTR_FIELD_FLAGS());
        if (datatype != BYTES) {
            all |= ucx_h.UCP_OP_ATTR_FIELD_DATATYPE();
            ucp_request_param_t.datatype(struct, datatype);
        }
        MemorySegment filled = of(stub, token, registration, all, flags);
        filledMask = UNKNOWN;
        if (memoryType == UcxMemoryType.UNKNOWN) {
            ucp_request_param_t.op_attr_mask(filled,
                    ucp_request_param_t.op_attr_mask(filled) & ~ucx_h.UCP_OP_ATTR_FIELD_MEMORY_TYPE());
        } else {
            ucp_request_param_t.memory_type(filled, memoryType.code());
        }
        return filled;
    }

    /** Adds a block for UCX's request to what was filled in before. */
    void withRequest(MemorySegment request) {
        if (request.address() != 0) {
            filledMask = UNKNOWN;
            ucp_request_param_t.request(struct, request);
            ucp_request_param_t.op_attr_mask(struct, ucp_request_param_t.op_attr_mask(struct)
                    | ucx_h.UCP_OP_ATTR_FIELD_REQUEST());
        }
    }

    private MemorySegment of(MemorySegment stub, long token, @Nullable UcpMemory registration, int attributes,
            int flags) {
        int mask = COMMON | attributes;
        // A key of another context would be taken for one of this context's transports.
        if (registration != null && registration.context() == context) {
            mask |= ucx_h.UCP_OP_ATTR_FIELD_MEMH();
            UcpDirect.memh(address, registration.handle().address());
        }
        long callback = stub.address();
        if (mask == filledMask && flags == filledFlags && callback == filledCallback) {
            UcpDirect.user_data(address, token);
        } else {
            UcpDirect.fill(address, mask, flags, callback, token, ucx_h.UCS_MEMORY_TYPE_HOST());
            filledMask = mask;
            filledFlags = flags;
            filledCallback = callback;
        }
        return struct;
    }
}
