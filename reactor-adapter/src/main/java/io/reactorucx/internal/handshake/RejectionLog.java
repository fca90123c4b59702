package io.reactorucx.internal.handshake;

import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells of refused peers aloud, but at most once a second: whoever is refused may try again at once. Any thread. */
public final class RejectionLog {

    private static final Logger LOG = LoggerFactory.getLogger(RejectionLog.class);
    private static final long PAUSE_NANOS = 1_000_000_000;

    private final Consumer<String> warn;
    private final LongSupplier nanoTime;
    private boolean used;
    private long lastNanos;
    private long leftOut;

    public RejectionLog() {
        this(LOG::warn, System::nanoTime);
    }

    public RejectionLog(Consumer<String> warn, LongSupplier nanoTime) {
        this.warn = warn;
        this.nanoTime = nanoTime;
    }

    public synchronized void refused(String peer, HandshakeFailure failure) {
        long now = nanoTime.getAsLong();
        if (used && now - lastNanos < PAUSE_NANOS) {
            leftOut++;
            LOG.debug("[{}] handshake refused, {}: {}", peer, failure.reason(), failure.detail());
            return;
        }
        warn.accept("[" + peer + "] handshake refused, " + failure.reason() + ": " + failure.detail()
                + (leftOut == 0 ? "" : "; " + leftOut + " more since the last one that was told"));
        used = true;
        lastNanos = now;
        leftOut = 0;
    }
}
