package io.reactorucx.core;

import io.reactorucx.core.ffi.UcpCompat;
import org.jspecify.annotations.Nullable;

/**
 * A capability that a library and a context may have or lack; {@link UcpContext#support(UcpCapability)} says whether
 * they have it, and why not.
 */
public enum UcpCapability {
    /** Active messages. */
    ACTIVE_MESSAGES(UcpFeature.AM, 13, "ucp_am_send_nbx"),
    /** Active messages whose header UCX copies ({@code UCP_AM_SEND_FLAG_COPY_HEADER}). */
    ACTIVE_MESSAGE_COPY_HEADER(UcpFeature.AM, 14, "ucp_am_send_nbx"),
    /** Tag matching. */
    TAGS(UcpFeature.TAG, 13, "ucp_tag_send_nbx"),
    /** Length and tag of a receive that completes at once, without a callback ({@code recv_info}). */
    TAG_IMMEDIATE_INFO(UcpFeature.TAG, 16, "ucp_tag_recv_nbx"),
    /** Byte streams. */
    STREAMS(UcpFeature.STREAM, 13, "ucp_stream_send_nbx"),
    /** Put and get. */
    REMOTE_MEMORY(UcpFeature.RMA, 13, "ucp_put_nbx"),
    /** Gets that the peer's device answers where it can, without the peer's processor. */
    DEVICE_GETS(UcpFeature.RMA, 13, "ucp_get_nbx"),
    /** Local pointers to a peer's memory ({@code ucp_rkey_ptr}). */
    REMOTE_POINTERS(UcpFeature.RMA, 13, "ucp_rkey_ptr"),
    /** Comparing remote keys ({@code ucp_rkey_compare}). */
    REMOTE_KEY_COMPARE(UcpFeature.RMA, 16, "ucp_rkey_compare"),
    /** Atomics on 4 bytes. */
    ATOMICS_32(UcpFeature.AMO32, 13, "ucp_atomic_op_nbx"),
    /** Atomics on 8 bytes. */
    ATOMICS_64(UcpFeature.AMO64, 13, "ucp_atomic_op_nbx"),
    /** Sleeping until there is work. */
    WAKEUP(UcpFeature.WAKEUP, 13, "ucp_worker_arm"),
    /** Workers that several threads use ({@link UcxThreadMode#MULTI}). */
    MULTI_THREADED_WORKERS(null, 13, "ucp_lib_query"),
    /** Memory handles of one process that another one imports. */
    EXPORTED_MEMORY(UcpFeature.EXPORTED_MEMH, 14, "ucp_memh_pack"),
    /** {@link MemoryMapFlag#SYMMETRIC_RKEY}. */
    MEMORY_SYMMETRIC_KEY(null, 16, "ucp_mem_map"),
    /** {@link MemoryMapFlag#LOCK}. */
    MEMORY_LOCK(null, 18, "ucp_mem_map"),
    /** Attributes of a datatype ({@code ucp_dt_query}). */
    DATATYPE_QUERY(null, 14, "ucp_dt_query"),
    /** Scatter-gather lists that name remote ranges too ({@code UCP_DATATYPE_SGL}). */
    DATATYPE_SGL(UcpFeature.RMA, 22, "ucp_put_nbx"),
    /** Names of transports as data; older libraries only print them ({@code UCP_EP_ATTR_FIELD_TRANSPORTS}). */
    ENDPOINT_TRANSPORTS(null, 14, "ucp_ep_query"),
    /** The endpoint's user data in its attributes ({@code UCP_EP_ATTR_FIELD_USER_DATA}). */
    ENDPOINT_USER_DATA(null, 18, "ucp_ep_query"),
    /** Closing an endpoint by force, which needs {@link ErrorMode#PEER}. */
    ENDPOINT_FORCED_CLOSE(null, 13, "ucp_ep_close_nbx"),
    /** Shared memory between processes of one host. */
    SHARED_MEMORY(null, 13, "ucp_ep_create"),
    /** Listening and connecting by socket address. */
    SOCKET_ADDRESSES(null, 13, "ucp_listener_create"),
    /** The same by IPv6. */
    SOCKET_ADDRESSES_IPV6(null, 13, "ucp_listener_create");

    private final @Nullable UcpFeature feature;
    private final int minor;
    private final String symbol;

    UcpCapability(@Nullable UcpFeature feature, int minor, String symbol) {
        this.feature = feature;
        this.minor = minor;
        this.symbol = symbol;
    }

    /** Returns whether the library alone supports this capability, and why not. */
    UcpSupport inLibrary() {
        return inLibrary(Ucx.version(), UcpCompat.has(symbol));
    }

    /** As {@link #inLibrary()}, for a library of any version. */
    UcpSupport inLibrary(UcxVersion version, boolean hasSymbol) {
        if (!version.isAtLeast(1, minor)) {
            return UcpSupport.missing("it needs UCX 1." + minor + " or newer, this is " + version);
        }
        if (!hasSymbol) {
            return UcpSupport.missing("the library has no function " + symbol);
        }
        return this == MULTI_THREADED_WORKERS && Ucx.maxThreadMode() != UcxThreadMode.MULTI
                ? UcpSupport.missing("the library was built without it, it allows at most " + Ucx.maxThreadMode())
                : UcpSupport.SUPPORTED;
    }

    @Nullable UcpFeature feature() {
        return feature;
    }
}
