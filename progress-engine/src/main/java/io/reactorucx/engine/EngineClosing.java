package io.reactorucx.engine;

import io.reactorucx.core.CloseMode;
import io.reactorucx.core.ErrorMode;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpListener;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.core.error.UcxException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes a worker in the order that UCX needs: listeners, receives, endpoints, operations in flight, the worker.
 *
 * <p>When operations do not end in time the worker is left to the process, since UCX aborts the process otherwise.
 */
final class EngineClosing {

    private static final Logger LOG = LoggerFactory.getLogger(EngineClosing.class);
    /** Rounds of progress after the last operation, so that UCX can send its last messages to the peers. */
    private static final int QUIET_ROUNDS = 32;

    private final long timeoutNanos;
    private final Duration parkingTimeout;
    private long startNanos;
    private boolean started;
    private int quietRounds;

    EngineClosing(Duration timeout) {
        this.timeoutNanos = timeout.toNanos();
        this.parkingTimeout = timeout.dividedBy(2);
    }

    /**
     * Makes one round; {@code delivered} says whether all completions have been delivered. Returns whether the worker
     * is gone.
     */
    boolean step(UcpWorker worker, boolean delivered) {
        if (!started) {
            started = true;
            startNanos = System.nanoTime();
            worker.listeners().forEach(EngineClosing::close);
        }
        if (worker.inFlight() > 0) {
            // In every round, because a command or handler may have posted another receive.
            worker.tags().cancelAll();
        }
        worker.endpoints().forEach(EngineClosing::close);
        worker.parkedEndpoints().closeAfter(parkingTimeout);
        boolean quiet = worker.endpoints().isEmpty() && worker.parkedEndpoints().isSettled()
                && worker.listeners().isEmpty() && worker.inFlight() == 0 && !worker.hasPendingDeliveries();
        quietRounds = quiet && delivered ? quietRounds + 1 : 0;
        boolean late = System.nanoTime() - startNanos > timeoutNanos;
        if (quietRounds > QUIET_ROUNDS || (late && quiet && !delivered)) {
            destroy(worker);
        } else if (late && !quiet) {
            worker.abandon();
        }
        return worker.isClosed();
    }

    private static void destroy(UcpWorker worker) {
        try {
            worker.close();
        } catch (RuntimeException e) {
            LOG.error("[{}] could not be destroyed", worker.config().name(), e);
            worker.abandon();
        }
    }

    private static void close(UcpListener listener) {
        try {
            listener.close();
        } catch (RuntimeException e) {
            LOG.warn("Listener at {} closed with an error", listener.address(), e);
        }
    }

    private static void close(UcpEndpoint endpoint) {
        boolean force = endpoint.errorMode() == ErrorMode.PEER;
        if (!force && !endpoint.mayFlush()) {
            // Nobody fetches an offer any more, and it would keep the endpoint from being closed.
            endpoint.worker().activeMessages().releaseAll();
            return;
        }
        try {
            endpoint.close(force ? CloseMode.FORCE : CloseMode.FLUSH, (status, length, tag) -> { });
        } catch (UcxException e) {
            LOG.warn("Endpoint to {} closed with an error", endpoint.peer(), e);
        }
    }
}
