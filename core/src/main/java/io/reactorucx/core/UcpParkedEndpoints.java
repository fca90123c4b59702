package io.reactorucx.core;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The endpoints of a worker that are parked: {@link UcpEndpoint#close} was called, and UCX can close them once they are
 * wired up, and have sent what was posted, or have failed.
 *
 * <p><b>Threading:</b> the thread of the worker. <b>Ownership:</b> of the worker, which cannot be closed before they
 * are. <b>Errors:</b> {@link IllegalStateException} on another thread.
 */
public final class UcpParkedEndpoints {

    private final UcpWorker worker;
    private final Map<Long, EndpointClose> closes = new HashMap<>();

    UcpParkedEndpoints(UcpWorker worker) {
        this.worker = worker;
    }

    /** {@return how many there are} */
    public int count() {
        worker.checkThread();
        return closes.size();
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
