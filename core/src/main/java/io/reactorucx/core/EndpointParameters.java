package io.reactorucx.core;

import io.reactorucx.core.ffi.ucp_ep_params;
import io.reactorucx.core.ffi.ucp_err_handler;
import io.reactorucx.core.ffi.ucx_h;
import io.reactorucx.core.internal.socket.SocketAddresses;
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

    static MemorySegment with(EndpointOptions options, MemorySegment params, MemorySegment onError, Arena arena) {
        long mask = ucp_ep_params.field_mask(params) | ucx_h.UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE()
                | ucx_h.UCP_EP_PARAM_FIELD_ERR_HANDLER() | ucx_h.UCP_EP_PARAM_FIELD_USER_DATA()
                | ucx_h.UCP_EP_PARAM_FIELD_FLAGS();
        ucp_ep_params.err_mode(params, options.errorMode().code());
        ucp_err_handler.cb(ucp_ep_params.err_handler(params), onError);
        ucp_ep_params.user_data(params, MemorySegment.ofAddress(options.userData()));
        ucp_ep_params.flags(params, ucp_ep_params.flags(params)
                | (options.sendClientId() ? ucx_h.UCP_EP_PARAMS_FLAGS_SEND_CLIENT_ID() : 0)
                | (options.loopback() ? 0 : ucx_h.UCP_EP_PARAMS_FLAGS_NO_LOOPBACK()));
        if (!options.name().isEmpty()) {
            mask |= ucx_h.UCP_EP_PARAM_FIELD_NAME();
            ucp_ep_params.name(params, arena.allocateFrom(options.name()));
        }
        InetSocketAddress local = options.localAddress();
        if (local != null) {
            mask |= ucx_h.UCP_EP_PARAM_FIELD_LOCAL_SOCK_ADDR();
            SocketAddresses.fill(ucp_ep_params.local_sockaddr(params), local, arena);
        }
        ucp_ep_params.field_mask(params, mask);
        return params;
    }
}
