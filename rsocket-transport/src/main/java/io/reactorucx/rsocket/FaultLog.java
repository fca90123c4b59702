package io.reactorucx.rsocket;

import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs why connections have failed, at most once per second at WARN: a peer may connect and fail again at once. The
 * lines that are left out are logged at DEBUG, and counted in the next one.
 *
 * <p>Thread: any.
 */
final class FaultLog {

    private static final Logger LOG = LoggerFactory.getLogger(UcxDuplexConnection.class);
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private long lastNanos = System.nanoTime() - PAUSE_NANOS;
    private long suppressed;

    synchronized void warn(String reason) {
        long now = System.nanoTime();
        if (now - lastNanos < PAUSE_NANOS) {
            suppressed++;
            LOG.debug(reason);
            return;
        }
        LOG.warn(suppressed == 0 ? reason : reason + "; " + suppressed + " more since the last warning");
        lastNanos = now;
        suppressed = 0;
    }
}
