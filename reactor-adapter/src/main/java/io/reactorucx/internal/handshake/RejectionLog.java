package io.reactorucx.internal.handshake;

import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs rejected peers at WARN, at most once per second, because a rejected peer may retry immediately.
 *
 * <p>Thread: any.
 */
public final class RejectionLog {

    private static final Logger LOG = LoggerFactory.getLogger(RejectionLog.class);
    private static final long PAUSE_NANOS = 1_000_000_000;

    private final Consumer<String> warn;
    private final LongSupplier nanoTime;
    private boolean used;
    private long lastNanos;
    private long suppressed;

    public RejectionLog() {
        this(LOG::warn, System::nanoTime);
    }

    public RejectionLog(Consumer<String> warn, LongSupplier nanoTime) {
        this.warn = warn;
        this.nanoTime = nanoTime;
    }

    public synchronized void rejected(String peer, HandshakeFailure failure) {
        long now = nanoTime.getAsLong();
        if (used && now - lastNanos < PAUSE_NANOS) {
            suppressed++;
            LOG.debug("[{}] handshake rejected, {}: {}", peer, failure.reason(), failure.detail());
            return;
        }
        warn.accept("[" + peer + "] handshake rejected, " + failure.reason() + ": " + failure.detail()
                + (suppressed == 0 ? "" : "; " + suppressed + " more since the last warning"));
        used = true;
        lastNanos = now;
        suppressed = 0;
    }
}
