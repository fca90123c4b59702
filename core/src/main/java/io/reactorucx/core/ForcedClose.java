package io.reactorucx.core;

import io.reactorucx.core.ffi.ucx_h;

/**
 * A close by force of an endpoint that has not failed. It waits for a flush, which says that the endpoint is wired up
 * and that nothing of it is unsent: a close by force before that aborts the process (wire-up messages that wait are
 * purged) or frees a tcp endpoint that UCX still handles events of. An endpoint that waits is parked: it takes no
 * operations any more, and closes when the flush ends or UCX reports its failure.
 *
 * <p>Thread: worker.
 */
final class ForcedClose {

    private static final String TCP = "tcp";

    private final UcpEndpoint endpoint;
    private final UcpWorker worker;
    private final Completion whenDone;
    private boolean closing;

    ForcedClose(UcpEndpoint endpoint, Completion whenDone) {
        this.endpoint = endpoint;
        this.worker = endpoint.worker();
        this.whenDone = whenDone;
    }

    /** Closes the endpoint, or parks it. Returns whether it is closed. */
    boolean start() {
        worker.handleMissedEvents();
        if (endpoint.failure() != 0 || isWiredWithoutTcp() || flush()) {
            closing = true;
            return endpoint.closeNow(true, whenDone);
        }
        worker.endpointTable().park(endpoint);
        return false;
    }

    /** Returns whether the flush has ended within the call. */
    private boolean flush() {
        RequestTable requests = worker.requests();
        long token = requests.beginClose((rawStatus, length, tag) -> flushed(rawStatus), endpoint);
        try {
            return requests.posted("ep_flush", endpoint.peer(), token, ucx_h.ucp_ep_flush_nbx(endpoint.handle(),
                    worker.parameters().of(requests.onSend, token, null)));
        } catch (UcxException e) {
            // UCX flushes every endpoint but one that has failed.
            return true;
        }
    }

    /** Only tcp frees too early, and over shared memory the flush would wait for room in the queue of a dead peer. */
    private boolean isWiredWithoutTcp() {
        return endpoint.isWired() && UcpEndpointAttributes.transports(endpoint.handle()).stream()
                .noneMatch(transport -> transport.startsWith(TCP));
    }

    private void flushed(int rawStatus) {
        if (closing) {
            return;
        }
        if (worker.isClosed()) {
            closing = true;
            whenDone.complete(rawStatus, 0, 0);
        } else if (rawStatus == 0 || endpoint.failure() != 0) {
            close();
        }
        // Else UCX is about to report that the endpoint has failed.
    }

    /** UCX has reported that the endpoint failed. */
    void failed() {
        if (!closing) {
            close();
        }
    }

    private void close() {
        closing = true;
        if (endpoint.closeNow(true, whenDone)) {
            whenDone.complete(0, 0, 0);
        }
    }
}
