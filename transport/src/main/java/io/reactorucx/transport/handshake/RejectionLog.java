package io.reactorucx.transport.handshake;

import io.reactorucx.transport.command.LimitedLog;
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

    private final LimitedLog log;

    public RejectionLog() {
        this(LOG::warn, System::nanoTime);
    }

    public RejectionLog(Consumer<String> warn, LongSupplier nanoTime) {
        log = new LimitedLog((line, thrown) -> warn.accept(line), LOG::debug, nanoTime);
    }

    public void rejected(String peer, HandshakeFailure failure) {
        log.warn("[" + peer + "] handshake rejected, " + failure.reason() + ": " + failure.detail(), null);
    }
}
