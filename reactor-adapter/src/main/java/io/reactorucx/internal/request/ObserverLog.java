package io.reactorucx.internal.request;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs what observers of the application throw, at most once per second, because each request may throw again.
 *
 * <p>Thread: any.
 */
final class ObserverLog {

    private static final Logger LOG = LoggerFactory.getLogger(ObservedPublisher.class);
    private static final long PAUSE_NANOS = 1_000_000_000;

    private boolean used;
    private long lastNanos;
    private long suppressed;

    /** Logs a failure, without an exception if a method has returned null. */
    synchronized void failed(String what, @Nullable Throwable thrown) {
        long now = System.nanoTime();
        if (used && now - lastNanos < PAUSE_NANOS) {
            suppressed++;
            LOG.debug("an observer failed: {}", what, thrown);
            return;
        }
        LOG.error("an observer failed: {}; {} more since the last line", what, suppressed, thrown);
        used = true;
        lastNanos = now;
        suppressed = 0;
    }
}
