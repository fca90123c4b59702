package io.reactorucx.core;

import io.reactorucx.core.ffi.ucx_h;
import java.lang.foreign.MemorySegment;

/**
 * The close of an endpoint. A flushing one is refused while operations of the peer may be in flight, which UCX would
 * destroy the endpoint under.
 *
 * <p>A close by force of an endpoint that has not failed waits for a flush, which says that the endpoint is wired up
 * and that nothing of it is unsent: before that it aborts the process (wire-up messages that wait are purged) or frees
 * a tcp endpoint that UCX still handles events of. An endpoint that waits is parked: it takes no operations any more,
 * and closes when the flush ends or UCX reports its failure.
 *
 * <p>Thread: worker.
 */
final class EndpointClose {

    private static final String TCP = "tcp";

    private final UcpEndpoint endpoint;
    private final UcpWorker worker;
    private final Completion whenDone;
    private boolean closing;

    EndpointClose(UcpEndpoint endpoint, Completion whenDone) {
        this.endpoint = endpoint;
        this.worker = endpoint.worker();
        this.whenDone = whenDone;
    }

    static boolean mayFlush(UcpEndpoint endpoint) {
        return ofEndpoint(endpoint) == 0 && (endpoint.failure() != 0 || ofWorker(endpoint) + offers(endpoint) == 0);
    }

    static void requireFinished(UcpEndpoint endpoint) {
        if (mayFlush(endpoint)) {
            return;
        }
        if (ofEndpoint(endpoint) > 0) {
            throw new IllegalStateException("mode FLUSH: " + ofEndpoint(endpoint)
                    + " operations are in flight, let them end first");
        }
        throw new IllegalStateException("mode FLUSH: " + ofWorker(endpoint) + " receives of the worker are in flight, "
                + "and " + offers(endpoint) + " offers held, that may be this peer's: cancel and release them first");
    }

    private static int ofEndpoint(UcpEndpoint endpoint) {
        return endpoint.inFlight() - endpoint.stream().receives();
    }

    private static int ofWorker(UcpEndpoint endpoint) {
        return endpoint.worker().requests().withoutEndpoint();
    }

    private static int offers(UcpEndpoint endpoint) {
        return endpoint.worker().activeMessages().offersOf(endpoint);
    }

    /** Closes the endpoint, or parks it. Returns whether it is closed. */
    boolean start(boolean force) {
        worker.handleMissedEvents();
        if (!force || endpoint.failure() != 0 || isWiredWithoutTcp() || flush()) {
            return close(force);
        }
        worker.endpointTable().park(endpoint);
        return false;
    }

    /** Only tcp frees too early, and over shared memory the flush would wait for room in the queue of a dead peer. */
    private boolean isWiredWithoutTcp() {
        return endpoint.isWired() && UcpEndpointAttributes.transports(endpoint.handle()).stream()
                .noneMatch(transport -> transport.startsWith(TCP));
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

    private boolean close(boolean force) {
        closing = true;
        worker.handleMissedEvents();
        RequestTable requests = worker.requests();
        long token = requests.beginClose(whenDone, endpoint);
        worker.endpointTable().closed(endpoint.handle().address());
        MemorySegment parameters = worker.parameters().withFlags(requests.onSend, token, null,
                force ? ucx_h.UCP_EP_CLOSE_FLAG_FORCE() : 0);
        boolean done = requests.postedClose(token, ucx_h.ucp_ep_close_nbx(endpoint.handle(), parameters));
        worker.handleMissedEvents();
        return done;
    }

    private void flushed(int rawStatus) {
        if (!closing && worker.isClosed()) {
            closing = true;
            whenDone.complete(rawStatus, 0, 0);
        } else if (rawStatus == 0 || endpoint.failure() != 0) {
            closeParked();
        }
        // Else UCX is about to report that the endpoint has failed.
    }

    /** UCX has reported that the endpoint failed, or the flush has ended. */
    void closeParked() {
        if (!closing && close(true)) {
            whenDone.complete(0, 0, 0);
        }
    }
}
