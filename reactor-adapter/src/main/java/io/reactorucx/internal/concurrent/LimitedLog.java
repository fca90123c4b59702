package io.reactorucx.internal.concurrent;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Logs what the application's code fails with, at most once per second, because each request or connection may fail
 * again. The lines that are left out are logged at DEBUG, and counted in the next one.
 *
 * <p>Thread: any.
 */
public final class LimitedLog {

    private static final long PAUSE_NANOS = 1_000_000_000;

    private final Logger log;
    private boolean used;
    private long lastNanos;
    private long suppressed;

    public LimitedLog(Logger log) {
        this.log = log;
    }

    /** Logs a failure at WARN, with the stack of what was thrown if there is one. */
    public synchronized void warn(String what, @Nullable Throwable thrown) {
        long now = System.nanoTime();
        if (used && now - lastNanos < PAUSE_NANOS) {
            suppressed++;
            log.debug(what, thrown);
            return;
        }
        log.warn(suppressed == 0 ? what : what + "; " + suppressed + " more since the last warning", thrown);
        used = true;
        lastNanos = now;
        suppressed = 0;
    }
}
