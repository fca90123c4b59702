package io.reactorucx.benchmarks.peers;

import io.reactorucx.core.Ucx;
import io.reactorucx.core.ffi.UcpMacros;
import io.reactorucx.core.ffi.ucp_ep_params;
import io.reactorucx.core.ffi.ucp_mem_map_params;
import io.reactorucx.core.ffi.ucp_params;
import io.reactorucx.core.ffi.ucp_request_param_t;
import io.reactorucx.core.ffi.ucp_worker_params;
import io.reactorucx.core.ffi.ucx_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A context with one worker, through the bindings alone: the lower bound for a Java program. */
final class BareWorker {

    private final Arena arena = Arena.global();
    private final MemorySegment pointer = arena.allocate(ValueLayout.ADDRESS);
    private final MemorySegment length = arena.allocate(ValueLayout.JAVA_LONG);
    private final MemorySegment context;
    private final MemorySegment worker;
    private final MemorySegment noParams = ucp_request_param_t.allocate(arena);

    BareWorker() {
        Ucx.ensureAvailable();
        check(ucx_h.ucp_config_read(MemorySegment.NULL, MemorySegment.NULL, pointer), "ucp_config_read");
        MemorySegment config = pointer.get(ValueLayout.ADDRESS, 0);
        MemorySegment params = ucp_params.allocate(arena);
        ucp_params.field_mask(params, ucx_h.UCP_PARAM_FIELD_FEATURES());
        ucp_params.features(params, ucx_h.UCP_FEATURE_RMA());
        int minor = Math.min(ucx_h.UCP_API_MINOR(), Ucx.version().minor());
        check(ucx_h.ucp_init_version(ucx_h.UCP_API_MAJOR(), minor, params, config, pointer), "ucp_init");
        context = pointer.get(ValueLayout.ADDRESS, 0);
        ucx_h.ucp_config_release(config);
        check(ucx_h.ucp_worker_create(context, ucp_worker_params.allocate(arena), pointer), "ucp_worker_create");
        worker = pointer.get(ValueLayout.ADDRESS, 0);
        ucp_request_param_t.op_attr_mask(noParams, 0);
    }

    static void check(int status, String call) {
        if (status < 0) {
            throw new IllegalStateException(call + ": status " + status);
        }
    }

    void progress() {
        ucx_h.ucp_worker_progress(worker);
    }

    /** {@return empty parameters of an operation} */
    MemorySegment noParams() {
        return noParams;
    }

    /** The memory that a call returned by {@code pointer} and {@code length}. */
    private byte[] bytes() {
        return pointer.get(ValueLayout.ADDRESS, 0).reinterpret(length.get(ValueLayout.JAVA_LONG, 0))
                .toArray(ValueLayout.JAVA_BYTE);
    }

    byte[] address() {
        check(ucx_h.ucp_worker_get_address(worker, pointer, length), "ucp_worker_get_address");
        return bytes();
    }

    /** {@return the handle of the registered memory} */
    MemorySegment register(MemorySegment memory) {
        MemorySegment params = ucp_mem_map_params.allocate(arena);
        ucp_mem_map_params.field_mask(params,
                ucx_h.UCP_MEM_MAP_PARAM_FIELD_ADDRESS() | ucx_h.UCP_MEM_MAP_PARAM_FIELD_LENGTH());
        ucp_mem_map_params.address(params, memory);
        ucp_mem_map_params.length(params, memory.byteSize());
        check(ucx_h.ucp_mem_map(context, params, pointer), "ucp_mem_map");
        return pointer.get(ValueLayout.ADDRESS, 0);
    }

    byte[] key(MemorySegment registered) {
        check(ucx_h.ucp_rkey_pack(context, registered, pointer, length), "ucp_rkey_pack");
        return bytes();
    }

    MemorySegment endpoint(byte[] remoteAddress) {
        MemorySegment params = ucp_ep_params.allocate(arena);
        ucp_ep_params.field_mask(params, ucx_h.UCP_EP_PARAM_FIELD_REMOTE_ADDRESS());
        ucp_ep_params.address(params, arena.allocate(remoteAddress.length, Long.BYTES)
                .copyFrom(MemorySegment.ofArray(remoteAddress)));
        check(ucx_h.ucp_ep_create(worker, params, pointer), "ucp_ep_create");
        return pointer.get(ValueLayout.ADDRESS, 0);
    }

    MemorySegment unpack(MemorySegment endpoint, byte[] key) {
        MemorySegment packed = arena.allocate(key.length, Long.BYTES).copyFrom(MemorySegment.ofArray(key));
        check(ucx_h.ucp_ep_rkey_unpack(endpoint, packed, pointer), "ucp_ep_rkey_unpack");
        return pointer.get(ValueLayout.ADDRESS, 0);
    }

    /** Makes progress until a request completes. */
    void await(long statusPointer) {
        if (UcpMacros.isError(statusPointer)) {
            throw new IllegalStateException("status " + UcpMacros.status(statusPointer));
        }
        if (statusPointer != 0) {
            MemorySegment request = MemorySegment.ofAddress(statusPointer);
            byte status = ucx_h.ucp_request_check_status(request);
            while (status == ucx_h.UCS_INPROGRESS()) {
                ucx_h.ucp_worker_progress(worker);
                status = ucx_h.ucp_request_check_status(request);
            }
            ucx_h.ucp_request_free(request);
            check(status, "request");
        }
    }

    void flush(MemorySegment endpoint) {
        await(ucx_h.ucp_ep_flush_nbx(endpoint, noParams).address());
    }
}
