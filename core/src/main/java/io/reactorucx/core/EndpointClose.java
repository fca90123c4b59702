package io.reactorucx.core;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.ffi.UcpPosts;
import io.reactorucx.core.ffi.ucx_h;
import io.reactorucx.core.internal.StackRoom;
import io.reactorucx.core.internal.worker.EndpointWiring;
import io.reactorucx.core.internal.worker.RequestKind;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * The close of an endpoint. A flushing close throws while the peer may have operations in flight, because UCX would
 * destroy the endpoint that they use.
 *
 * <p>An endpoint that was made by a worker's address is not closed before it is wired up: wire-up messages that wait
 * would be purged, which aborts the process. Over tcp a close by force also waits until all has left: UCX would free a
 * tcp endpoint that it still handles events of. The end of a flush says both. The wire-up messages of the peer wait in
 * the same way, and its endpoint fails with this one, so over tcp the peer has some time for its own wire-up. An
 * endpoint that waits is parked: it takes no operations any more, and closes when the flush ends, UCX reports its
 * failure, or somebody waits no longer.
 *
 * <p>Thread: worker.
 */
final class EndpointClose {

    private static final String TCP = "tcp";

    private final UcpEndpoint endpoint;
    private final UcpWorker worker;
    private final Completion whenDone;
    private final boolean force;
    private long parkedNanos;
    private boolean flushed;
    private boolean closing;

    private EndpointClose(UcpEndpoint endpoint, boolean force, Completion whenDone) {
        this.endpoint = endpoint;
        this.worker = endpoint.worker();
        this.force = force;
        this.whenDone = whenDone;
    }

    /** Returns the close of an endpoint, which is to be started; throws where the mode is not allowed. */
    static EndpointClose of(UcpEndpoint endpoint, CloseMode mode, Completion whenDone) {
        boolean force = Objects.requireNonNull(mode, "mode") == CloseMode.FORCE;
        if (force && endpoint.errorMode() == ErrorMode.NONE) {
            throw new IllegalArgumentException("mode FORCE: UCX closes by force only with error mode PEER, this"
                    + " endpoint has NONE");
        }
        if (!force) {
            requireFinished(endpoint);
        }
        return new EndpointClose(endpoint, force, Objects.requireNonNull(whenDone, "whenDone"));
    }

    UcpEndpoint endpoint() {
        return endpoint;
    }

    static boolean mayFlush(UcpEndpoint endpoint) {
        return ofEndpoint(endpoint) == 0 && (endpoint.failure() != 0 || ofWorker(endpoint) + offers(endpoint) == 0);
    }

    private static void requireFinished(UcpEndpoint endpoint) {
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
    boolean start() {
        StackRoom.require();
        worker.handleMissedEvents();
        if (endpoint.failure() != 0 || !waits()) {
            return close();
        }
        flushed = flush();
        if (flushed && isSettled()) {
            return close();
        }
        parkedNanos = System.nanoTime();
        worker.endpointTable().park(endpoint, this);
        return false;
    }

    private boolean waits() {
        return !isWired() || force && endpoint.wiring() != null && usesTcp();
    }

    private boolean isWired() {
        EndpointWiring wiring = endpoint.wiring();
        return wiring == null || wiring.isWired();
    }

    private boolean usesTcp() {
        return UcpEndpointAttributes.transports(endpoint.handle()).stream().anyMatch(name -> name.startsWith(TCP));
    }

    private boolean isSettled() {
        EndpointWiring wiring = endpoint.wiring();
        return wiring == null || wiring.isSettled() || !usesTcp();
    }

    /** Returns whether the flush has ended within the call. */
    private boolean flush() {
        RequestTable requests = worker.requests();
        long token = requests.begin(RequestKind.CLOSE, "ep_flush", (rawStatus, length, tag) -> flushed(rawStatus),
                endpoint, null, null);
        try {
            return requests.posted("ep_flush", endpoint.peer(), token, UcpPosts.ucp_ep_flush_nbx(endpoint.handle(),
                    worker.parameters().of(requests.onSend, token, null)));
        } catch (UcxException e) {
            // UCX flushes every endpoint but one that has failed.
            return true;
        }
    }

    private boolean close() {
        closing = true;
        worker.handleMissedEvents();
        RequestTable requests = worker.requests();
        long token = requests.begin(RequestKind.CLOSE, "ep_close", whenDone, endpoint, null, null);
        worker.endpointTable().closed(endpoint.handle().address());
        MemorySegment parameters = worker.parameters().withFlags(requests.onSend, token, null,
                force ? ucx_h.UCP_EP_CLOSE_FLAG_FORCE() : 0);
        boolean done = requests.postedClose(token, UcpPosts.ucp_ep_close_nbx(endpoint.handle(), parameters));
        if (endpoint.wiring() != null) {
            endpoint.wiring().end();
        }
        worker.handleMissedEvents();
        return done;
    }

    private void flushed(int rawStatus) {
        if (!closing && worker.isClosed()) {
            closing = true;
            whenDone.complete(rawStatus, 0, 0);
        } else if (endpoint.failure() != 0) {
            closeParked();
        } else if (rawStatus == 0) {
            flushed = true;
            closeSettled();
        }
        // Else UCX is about to report that the endpoint has failed.
    }

    /** Closes the endpoint when its flush has ended, and the peer's endpoint is wired up. */
    void closeSettled() {
        if (flushed && isSettled()) {
            closeParked();
        }
    }

    /** UCX has reported that the endpoint failed, or nothing is to be waited for any more. */
    void closeParked() {
        if (!closing && close()) {
            whenDone.complete(0, 0, 0);
        }
    }

    /** Waits no longer for what has not left, once the endpoint is wired up and has been parked for a time. */
    void closeOverdue(long nowNanos, long nanos) {
        if (nowNanos - parkedNanos >= nanos && isWired()) {
            closeParked();
        }
    }
}
