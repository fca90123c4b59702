package io.reactorucx.core;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The endpoints of a worker that are parked: {@link UcpEndpoint#close} was called, and UCX can close them once they are
 * wired up, and have sent what was posted, or have failed; or they are closed by force, and UCX has not yet cancelled
 * what was in flight.
 *
 * <p><b>Threading:</b> the thread of the worker. <b>Ownership:</b> of the worker, which cannot be closed before they
 * are. <b>Errors:</b> {@link IllegalStateException} on another thread.
 */
public final class UcpParkedEndpoints {

    private static final long WIRE_UP_NANOS = Duration.ofSeconds(1).toNanos();

    private final UcpWorker worker;
    private final Map<Long, EndpointClose> closes = new HashMap<>();
    private final Set<UcpEndpoint> uncancelled = new HashSet<>();
    private boolean peerExpected;
    private long expectedNanos;

    UcpParkedEndpoints(UcpWorker worker) {
        this.worker = worker;
    }

    /** {@return how many there are} */
    public int count() {
        worker.checkThread();
        if (!uncancelled.isEmpty()) {
            uncancelled.removeIf(endpoint -> endpoint.inFlight() == 0);
        }
        return closes.size() + uncancelled.size();
    }

    /**
     * Counts an endpoint that was closed by force until UCX has cancelled its operations.
     *
     * @param endpoint one of this worker that is closed
     */
    public void keep(UcpEndpoint endpoint) {
        worker.checkOpen("ep_close");
        if (endpoint.worker() != worker || !endpoint.isClosed()) {
            throw new IllegalArgumentException("endpoint to " + endpoint.peer()
                    + ": must be a closed one of the worker " + worker.config().name());
        }
        uncancelled.add(endpoint);
    }

    /**
     * Closes those whose peers have not taken what was sent to them for a time. One that is not wired up yet stays.
     *
     * @param age how long they have been parked, at least 0
     */
    public void closeAfter(Duration age) {
        worker.checkOpen("ep_close");
        if (age.isNegative()) {
            throw new IllegalArgumentException("age " + age + ": must not be negative");
        }
        if (!closes.isEmpty()) {
            long now = System.nanoTime();
            List.copyOf(closes.values()).forEach(close -> close.closeOverdue(now, age.toNanos()));
        }
    }

    /**
     * Notes that a peer may be about to connect to this worker by its address, though nothing connects back to it any
     * more. UCX then has an endpoint of its own that it wires up, and over tcp aborts the process when the worker is
     * closed before that is done.
     */
    public void expectPeer() {
        worker.checkThread();
        peerExpected = !worker.tcpListeners().addresses().isEmpty();
        expectedNanos = System.nanoTime();
    }

    /** {@return whether the worker can be closed: none is parked, and no peer has been expected in the last second} */
    public boolean isSettled() {
        worker.checkThread();
        return closes.isEmpty() && (!peerExpected || System.nanoTime() - expectedNanos >= WIRE_UP_NANOS);
    }

    /** Closes those that need not wait any longer. */
    void progress() {
        if (!closes.isEmpty()) {
            List.copyOf(closes.values()).forEach(EndpointClose::closeSettled);
        }
    }

    void add(long handle, EndpointClose close) {
        closes.put(handle, close);
    }

    void remove(long handle) {
        closes.remove(handle);
    }

    @Nullable UcpEndpoint find(long handle) {
        EndpointClose close = closes.get(handle);
        return close == null ? null : close.endpoint();
    }
}
