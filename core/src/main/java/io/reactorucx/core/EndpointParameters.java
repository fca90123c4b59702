package io.reactorucx.core;

import io.reactorucx.core.ffi.ucp_ep_params;
import io.reactorucx.core.ffi.ucp_err_handler;
import io.reactorucx.core.ffi.ucx_h;
import io.reactorucx.core.internal.SocketAddresses;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;

/** {@code ucp_ep_params_t} for the three ways to make an endpoint. */
final class EndpointParameters {

    private EndpointParameters() {
    }

    static MemorySegment toSocketAddress(InetSocketAddress remote, Arena arena) {
        MemorySegment params = ucp_ep_params.allocate(arena);
        ucp_ep_params.field_mask(params, ucx_h.UCP_EP_PARAM_FIELD_SOCK_ADDR() | ucx_h.UCP_EP_PARAM_FIELD_FLAGS());
        ucp_ep_params.flags(params, ucx_h.UCP_EP_PARAMS_FLAGS_CLIENT_SERVER());
        SocketAddresses.fill(ucp_ep_params.sockaddr(params), remote, arena);
        return params;
    }

    static MemorySegment toWorkerAddress(MemorySegment address, Arena arena) {
        MemorySegment params = ucp_ep_params.allocate(arena);
        ucp_ep_params.field_mask(params, ucx_h.UCP_EP_PARAM_FIELD_REMOTE_ADDRESS());
        ucp_ep_params.address(params, address);
        return params;
    }

    static MemorySegment toConnectionRequest(MemorySegment request, Arena arena) {
        MemorySegment params = ucp_ep_params.allocate(arena);
        ucp_ep_params.field_mask(params, ucx_h.UCP_EP_PARAM_FIELD_CONN_REQUEST());
        ucp_ep_params.conn_request(params, request);
        return params;
    }

    static MemorySegment withErrorHandling(MemorySegment params, ErrorMode mode, MemorySegment onError) {
        ucp_ep_params.field_mask(params, ucp_ep_params.field_mask(params) | ucx_h.UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE()
                | ucx_h.UCP_EP_PARAM_FIELD_ERR_HANDLER());
        ucp_ep_params.err_mode(params, mode.code());
        ucp_err_handler.cb(ucp_ep_params.err_handler(params), onError);
        return params;
    }
}
