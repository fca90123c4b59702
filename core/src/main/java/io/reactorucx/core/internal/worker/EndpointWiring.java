package io.reactorucx.core.internal.worker;

import io.reactorucx.core.ffi.UcpDirect;
import io.reactorucx.core.ffi.UcpMacros;
import io.reactorucx.core.ffi.UcpPosts;
import io.reactorucx.core.ffi.ucx_h;
import java.lang.foreign.MemorySegment;
import java.time.Duration;

/**
 * Whether UCX has wired an endpoint up: a flush that is posted when the endpoint is made ends then. The flush has no
 * callback and counts as no operation in flight. That the peer's endpoint is wired up, too, shows in a message from it;
 * without one, some time is left to it.
 *
 * <p>Thread: worker.
 */
public final class EndpointWiring {

    private static final int IN_PROGRESS = 1;
    private static final long SETTLE_NANOS = Duration.ofMillis(100).toNanos();

    private final long createdNanos = System.nanoTime();
    private boolean heard;
    private long request;
    private boolean wired;

    private EndpointWiring(long answer) {
        wired = answer == 0;
        // An error says that the endpoint has failed, which UCX reports to its handler, too.
        request = UcpMacros.isError(answer) ? 0 : answer;
    }

    /** Starts to watch an endpoint that was made by a worker's address, by parameters without a callback. */
    public static EndpointWiring watch(MemorySegment endpoint, MemorySegment parameters) {
        return new EndpointWiring(UcpPosts.ucp_ep_flush_nbx(endpoint, parameters));
    }

    public boolean isWired() {
        if (request != 0) {
            int status = ucx_h.ucp_request_check_status(MemorySegment.ofAddress(request));
            if (status != IN_PROGRESS) {
                wired = status == 0;
                end();
            }
        }
        return wired;
    }

    /** A message of the peer has come. */
    public void heard() {
        heard = true;
    }

    /** Returns whether the peer's endpoint is wired up as well, as far as can be known. */
    public boolean isSettled() {
        return heard || System.nanoTime() - createdNanos >= SETTLE_NANOS;
    }

    /** Gives the request back to UCX, which keeps it until the flush has ended. */
    public void end() {
        if (request != 0) {
            UcpDirect.ucp_request_free(request);
            request = 0;
        }
    }
}
