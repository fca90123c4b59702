package io.reactorucx.core;

import io.reactorucx.core.internal.worker.LostEvents;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The events that UCX reported to a worker by upcalls, queued until the native call has returned and the handlers may
 * run.
 */
final class WorkerEvents {

    private static final Logger LOG = LoggerFactory.getLogger(WorkerEvents.class);

    private final String workerName;
    private final EndpointTable endpoints;
    private final UcpActiveMessages activeMessages;
    private final Queue<Object> queue = new ArrayDeque<>();
    private final LostEvents lost;

    WorkerEvents(String workerName, EndpointTable endpoints, UcpActiveMessages activeMessages, LostEvents lost) {
        this.workerName = workerName;
        this.endpoints = endpoints;
        this.activeMessages = activeMessages;
        this.lost = lost;
    }

    /** The endpoint with a handle; null for one that UCX made for itself or that is closed here. */
    @Nullable UcpEndpoint endpoint(long handle) {
        return endpoints.find(handle);
    }

    /** An object for a message that is copied within the upcall. */
    UcpActiveMessage spareMessage() {
        return activeMessages.spare();
    }

    /** Copies the data of a message to its place. Returns null if there is none. */
    @Nullable PlacedData place(int id, byte[] header, long data, int length) {
        return activeMessages.place(id, header, data, length);
    }

    /** A message has arrived whose data is inline. */
    void messageArrived(UcpActiveMessage message) {
        queue.add(message);
    }

    /** A message has arrived whose data is with UCX or the sender, until it is fetched or released. */
    void heldArrived(UcpActiveMessage message) {
        activeMessages.hold(message);
        boolean queued = false;
        try {
            queue.add(message);
            queued = true;
        } finally {
            if (!queued) {
                activeMessages.lost(message);
            }
        }
    }

    void endpointFailed(long handle, int rawStatus) {
        UcpEndpoint endpoint = endpoints.findFailed(handle);
        if (endpoint != null && endpoint.noteFailure(rawStatus)) {
            queue.add((Runnable) endpoint::tellFailure);
        }
    }

    void connectionRequested(long listenerId, MemorySegment requestHandle) {
        UcpListener listener = endpoints.listener(listenerId);
        if (listener != null) {
            UcpConnectionRequest request = listener.arrived(requestHandle);
            queue.add((Runnable) () -> listener.deliver(request));
        }
    }

    LostEvents lost() {
        return lost;
    }

    int size() {
        return queue.size();
    }

    /** Runs the handlers of the oldest events. */
    void deliver(int count) {
        for (int i = 0; i < count; i++) {
            deliver(Objects.requireNonNull(queue.poll()));
        }
    }

    private void deliver(Object event) {
        try {
            if (event instanceof UcpActiveMessage message) {
                activeMessages.deliver(message);
            } else {
                ((Runnable) event).run();
            }
        } catch (Throwable t) {
            LOG.error("[{}] a handler threw", workerName, t);
            lost.rethrowIfFatal(t);
        }
    }
}
