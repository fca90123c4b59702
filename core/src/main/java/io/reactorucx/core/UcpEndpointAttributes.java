package io.reactorucx.core;

import io.reactorucx.core.ffi.ucp_ep_attr;
import io.reactorucx.core.ffi.ucp_transport_entry_t;
import io.reactorucx.core.ffi.ucp_transports_t;
import io.reactorucx.core.ffi.ucx_h;
import io.reactorucx.core.internal.EndpointInfo;
import io.reactorucx.core.internal.NativeStatus;
import io.reactorucx.core.internal.NativeText;
import io.reactorucx.core.internal.socket.SocketAddresses;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.LongStream;

/**
 * The attributes of an endpoint ({@code ucp_ep_query}).
 *
 * @param name its name
 * @param localAddress this side's socket address, empty for an endpoint by worker address or one that is not connected
 *     yet
 * @param remoteAddress the peer's socket address, as above
 * @param transports what it runs over, as {@code transport/device}; empty until it is connected
 * @param userData what it was made with; empty before UCX 1.18
 */
public record UcpEndpointAttributes(String name,
        Optional<InetSocketAddress> localAddress, Optional<InetSocketAddress> remoteAddress, List<String> transports,
        OptionalLong userData) {

    private static final int MAX_TRANSPORTS = 128;
    private static final long MAX_NAME_BYTES = 256;

    /** Copies the list. */
    public UcpEndpointAttributes {
        transports = List.copyOf(transports);
    }

    static UcpEndpointAttributes of(MemorySegment endpoint) {
        boolean knowsUserData = UcpCapability.ENDPOINT_USER_DATA.inLibrary().isSupported();
        try (Arena call = Arena.ofConfined()) {
            MemorySegment attr = ucp_ep_attr.allocate(call);
            ucp_ep_attr.field_mask(attr,
                    ucx_h.UCP_EP_ATTR_FIELD_NAME() | (knowsUserData ? ucx_h.UCP_EP_ATTR_FIELD_USER_DATA() : 0));
            NativeStatus.check(ucx_h.ucp_ep_query(endpoint, attr), "ep_query");
            String name = ucp_ep_attr.name(attr).getString(0);
            OptionalLong userData = knowsUserData ? OptionalLong.of(ucp_ep_attr.user_data(attr).address())
                    : OptionalLong.empty();
            return new UcpEndpointAttributes(name, address(endpoint, ucx_h.UCP_EP_ATTR_FIELD_LOCAL_SOCKADDR(), attr),
                    address(endpoint, ucx_h.UCP_EP_ATTR_FIELD_REMOTE_SOCKADDR(), attr), transports(endpoint), userData);
        }
    }

    private static Optional<InetSocketAddress> address(MemorySegment endpoint, int field, MemorySegment attr) {
        attr.fill((byte) 0);
        ucp_ep_attr.field_mask(attr, field);
        if (ucx_h.ucp_ep_query(endpoint, attr) < 0) {
            return Optional.empty();
        }
        return Optional.of(SocketAddresses.read(field == ucx_h.UCP_EP_ATTR_FIELD_LOCAL_SOCKADDR()
                ? ucp_ep_attr.local_sockaddr(attr) : ucp_ep_attr.remote_sockaddr(attr)));
    }

    /** Asks UCX for the transports where the library supports that, else reads them from the text that it prints. */
    static List<String> transports(MemorySegment endpoint) {
        if (!UcpCapability.ENDPOINT_TRANSPORTS.inLibrary().isSupported()) {
            return EndpointInfo.transports(NativeText.print(stream -> ucx_h.ucp_ep_print_info(endpoint, stream)));
        }
        try (Arena call = Arena.ofConfined()) {
            MemorySegment attr = ucp_ep_attr.allocate(call);
            MemorySegment entries = ucp_transport_entry_t.allocateArray(MAX_TRANSPORTS, call);
            ucp_ep_attr.field_mask(attr, ucx_h.UCP_EP_ATTR_FIELD_TRANSPORTS());
            MemorySegment list = ucp_ep_attr.transports(attr);
            ucp_transports_t.entries(list, entries);
            ucp_transports_t.num_entries(list, MAX_TRANSPORTS);
            ucp_transports_t.entry_size(list, ucp_transport_entry_t.sizeof());
            NativeStatus.check(ucx_h.ucp_ep_query(endpoint, attr), "ep_query");
            return LongStream.range(0, Math.min(ucp_transports_t.num_entries(list), MAX_TRANSPORTS))
                    .mapToObj(index -> ucp_transport_entry_t.asSlice(entries, index))
                    .map(entry -> text(ucp_transport_entry_t.transport_name(entry)) + "/"
                    + text(ucp_transport_entry_t.device_name(entry)))
                    // The connection manager is one of them, without a device.
                    .filter(transport -> !transport.endsWith("/")).distinct().toList();
        }
    }

    private static String text(MemorySegment pointer) {
        return pointer.address() == 0 ? "" : pointer.reinterpret(MAX_NAME_BYTES).getString(0);
    }
}
