package io.reactorucx.core;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.ffi.ucp_stream_poll_ep;
import io.reactorucx.core.ffi.ucx_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * The streams of all endpoints of a worker.
 *
 * <p><b>Threading, ownership, errors:</b> as {@link UcpWorker} has them.
 */
public final class UcpStreams {

    /** Largest number of endpoints that one poll reports. */
    public static final int MAX_POLLED = 64;

    private final UcpWorker worker;
    private final MemorySegment workerHandle;
    private final MemorySegment polled;
    private final MemorySegment length;

    UcpStreams(UcpWorker worker, MemorySegment workerHandle, Arena arena) {
        this.worker = worker;
        this.workerHandle = workerHandle;
        this.polled = ucp_stream_poll_ep.allocateArray(MAX_POLLED, arena);
        this.length = arena.allocate(ValueLayout.JAVA_LONG);
    }

    /**
     * Returns the endpoints that have data which no receive waits for ({@code ucp_stream_worker_poll}). UCX reports an
     * endpoint again only after more data has arrived: receive or borrow until nothing is left.
     *
     * @return endpoints, at most {@value #MAX_POLLED}; poll again when there are as many
     */
    public List<UcpEndpoint> poll() {
        worker.checkOpen("stream_worker_poll");
        worker.context().requireFeature(UcpFeature.STREAM, "stream_worker_poll");
        List<UcpEndpoint> endpoints = new ArrayList<>();
        int most;
        long count;
        do {
            most = MAX_POLLED - endpoints.size();
            count = ucx_h.ucp_stream_worker_poll(workerHandle, polled, most, 0);
            if (count < 0) {
                throw new UcxException((int) count, "stream_worker_poll", null);
            }
            addOurs(count, endpoints);
            // Endpoints that this library has not made are skipped, and more may follow them.
        } while (count == most && endpoints.size() < MAX_POLLED);
        return endpoints;
    }

    private void addOurs(long count, List<UcpEndpoint> endpoints) {
        for (int i = 0; i < count; i++) {
            UcpEndpoint endpoint = worker.endpointTable().find(
                    ucp_stream_poll_ep.ep(ucp_stream_poll_ep.asSlice(polled, i)).address());
            if (endpoint != null) {
                endpoints.add(endpoint);
            }
        }
    }

    /** Where UCX puts a length during a call. */
    MemorySegment length() {
        return length;
    }
}
