package io.reactorucx.core;

import io.reactorucx.core.error.UcxUnsupportedException;
import io.reactorucx.core.ffi.UcpPosts;
import io.reactorucx.core.internal.Arguments;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.Set;

/**
 * Sends messages of an endpoint with all options of UCX: data of any layout, flags, and a handle to query the
 * operation. The endpoint's own methods are faster where none of these is needed.
 *
 * <p><b>Threading, ownership, errors:</b> as {@link UcpEndpoint} has them; {@link UcxUnsupportedException} for what the
 * loaded library cannot do.
 */
public final class UcpDataOperations {

    private final UcpEndpoint endpoint;
    private final UcpWorker worker;

    UcpDataOperations(UcpEndpoint endpoint, UcpWorker worker) {
        this.endpoint = endpoint;
        this.worker = worker;
    }

    /**
     * Sends an active message ({@code ucp_am_send_nbx}).
     *
     * @param id id that the peer listens on, 0 to 65535
     * @param header at most {@link UcpWorker#maxHeaderBytes()}; copied, may be on the heap
     * @param payload the data
     * @param how how it travels; not both EAGER and RENDEZVOUS
     * @param flags how UCX may treat it
     * @param whenDone called when the payload is free again, unless it is already
     * @return the operation
     */
    public UcpRequest amSend(int id, MemorySegment header, UcpData payload, Set<AmSendFlag> how, Set<RequestFlag> flags,
            Completion whenDone) {
        Set<RequestFlag> checked = RequestFlag.copy(flags);
        int bits = AmSendFlag.bits(Set.copyOf(Objects.requireNonNull(how, "how")));
        endpoint.requireUsable("am_send", UcpFeature.AM);
        Arguments.range(id, 0, UcpActiveMessages.MAX_ID, "id");
        Arguments.header(header, worker.maxHeaderBytes());
        DataOperation send = new DataOperation("am_send", worker, endpoint, payload, false, checked)
                .requireLayoutIsHonoured();
        RequestTable requests = worker.requests();
        return send.post(requests.onSend, bits, whenDone,
                (token, data, parameters) ->
                        UcpPosts.ucp_am_send_nbx(endpoint.handle(), id, requests.header(token, header),
                        header.byteSize(), data.buffer(), data.count(), parameters));
    }

    /**
     * Sends a tagged message ({@code ucp_tag_send_nbx}).
     *
     * @param payload the data
     * @param tag all 64 bits
     * @param flags how UCX may treat it
     * @param whenDone called when the payload is free again, unless it is already
     * @return the operation
     */
    public UcpRequest tagSend(UcpData payload, long tag, Set<RequestFlag> flags, Completion whenDone) {
        Set<RequestFlag> checked = RequestFlag.copy(flags);
        endpoint.requireUsable("tag_send", UcpFeature.TAG);
        return new DataOperation("tag_send", worker, endpoint, payload, false, checked)
                .post(worker.requests().onSend, 0, whenDone,
                        (token, data, parameters) -> UcpPosts.ucp_tag_send_nbx(endpoint.handle(),
                                data.buffer(), data.count(), tag, parameters));
    }

    /**
     * Sends a tagged message and waits until the peer has matched it ({@code ucp_tag_send_sync_nbx}).
     *
     * @param payload the data
     * @param tag all 64 bits
     * @param flags how UCX may treat it; not to be completed within the call, which it never is
     * @param whenDone called when a receive of the peer took the message
     * @return the operation
     */
    public UcpRequest tagSendSync(UcpData payload, long tag, Set<RequestFlag> flags, Completion whenDone) {
        Set<RequestFlag> checked = RequestFlag.copy(flags);
        endpoint.requireUsable("tag_send_sync", UcpFeature.TAG);
        return new DataOperation("tag_send_sync", worker, endpoint, payload, false, checked)
                .refuse(RequestFlag.FORCE_IMMEDIATE_COMPLETION, "a peer's match never comes within the call")
                .post(worker.requests().onSend, 0, whenDone,
                        (token, data, parameters) -> UcpPosts.ucp_tag_send_sync_nbx(endpoint.handle(),
                                data.buffer(), data.count(), tag, parameters));
    }
}
