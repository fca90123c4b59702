package io.reactorucx.core;

import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.core.ffi.ucp_request_attr_t;
import io.reactorucx.core.ffi.ucx_h;
import io.reactorucx.core.internal.NativeStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * One posted operation, which can be queried while it is in flight ({@code ucp_request_query}).
 *
 * <p><b>Threading:</b> the worker's thread. <b>Ownership:</b> none, it need not be closed. <b>Errors:</b> {@link
 * #info()} of an operation that has ended throws {@link IllegalStateException}.
 */
public final class UcpRequest {

    private static final int DESCRIPTION_BYTES = 512;

    private final UcpWorker worker;
    private final @Nullable UcpEndpoint endpoint;
    private final long token;

    UcpRequest(UcpWorker worker, @Nullable UcpEndpoint endpoint, long token) {
        this.worker = worker;
        this.endpoint = endpoint;
        this.token = token;
    }

    /** {@return whether it ended within the call, so that its completion is not called} */
    public boolean isImmediate() {
        return token == RequestTable.NONE;
    }

    /** {@return whether it is in flight} */
    public boolean isInFlight() {
        worker.checkThread();
        return request() != 0;
    }

    /** Cancels a tag receive that no message has matched; UCX cancels no other operation. */
    public void cancel() {
        if (token != RequestTable.NONE) {
            worker.tags().cancel(token);
        }
    }

    /**
     * Asks UCX about the operation.
     *
     * @return its state, with a description once its endpoint is connected
     */
    public UcpRequestInfo info() {
        worker.checkOpen("request_query");
        long request = request();
        if (request == 0) {
            throw new IllegalStateException("request_query: the operation has ended");
        }
        // Of a send UCX describes the lane, which an endpoint has only between connection and close.
        boolean described = endpoint == null
                || (!endpoint.isClosed() && endpoint.failure() == 0 && !endpoint.transports().isEmpty());
        try (Arena call = Arena.ofConfined()) {
            MemorySegment attr = ucp_request_attr_t.allocate(call);
            long mask = ucx_h.UCP_REQUEST_ATTR_FIELD_STATUS() | ucx_h.UCP_REQUEST_ATTR_FIELD_MEM_TYPE();
            MemorySegment text = call.allocate(DESCRIPTION_BYTES);
            if (described) {
                mask |= ucx_h.UCP_REQUEST_ATTR_FIELD_INFO_STRING() | ucx_h.UCP_REQUEST_ATTR_FIELD_INFO_STRING_SIZE();
                ucp_request_attr_t.debug_string(attr, text);
                ucp_request_attr_t.debug_string_size(attr, DESCRIPTION_BYTES);
            }
            ucp_request_attr_t.field_mask(attr, mask);
            NativeStatus.check(ucx_h.ucp_request_query(MemorySegment.ofAddress(request), attr), "request_query");
            return new UcpRequestInfo(text.getString(0), UcxStatus.of(ucp_request_attr_t.status(attr)),
                    UcxMemoryType.of(ucp_request_attr_t.mem_type(attr)));
        }
    }

    private long request() {
        return token == RequestTable.NONE ? 0 : worker.requests().request(token);
    }
}
