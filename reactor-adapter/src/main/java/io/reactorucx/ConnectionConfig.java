package io.reactorucx;

import io.reactorucx.core.ErrorMode;
import java.time.Duration;
import java.util.Objects;

/** How a connection is made, bounded and ended; immutable, the builders of client and server change copies of it. */
record ConnectionConfig(boolean raw, ErrorMode errorMode, Duration handshakeTimeout, Duration closeTimeout, int maxQueuedMessages,
        long maxQueuedBytes, OverflowPolicy overflow) {

    private static final Duration LONGEST = Duration.ofHours(1);

    static final ConnectionConfig DEFAULT = new ConnectionConfig(false, ErrorMode.PEER, Duration.ofSeconds(10), Duration.ofSeconds(5), 1024,
            16L << 20, OverflowPolicy.ERROR);

    ConnectionConfig {
        Objects.requireNonNull(handshakeTimeout, "timeout");
        Objects.requireNonNull(closeTimeout, "closeTimeout");
        Objects.requireNonNull(overflow, "policy");
        if (handshakeTimeout.compareTo(Duration.ofMillis(1)) < 0 || handshakeTimeout.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("timeout " + handshakeTimeout + ": must be in 1 ms.." + LONGEST);
        }
        if (closeTimeout.isNegative() || closeTimeout.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("closeTimeout " + closeTimeout + ": must be in 0.." + LONGEST);
        }
        if (maxQueuedMessages < 1) {
            throw new IllegalArgumentException("maxQueuedMessages " + maxQueuedMessages + ": at least 1");
        }
        if (maxQueuedBytes < 1) {
            throw new IllegalArgumentException("maxQueuedBytes " + maxQueuedBytes + ": at least 1");
        }
    }

    ConnectionConfig withRaw(boolean value) {
        return new ConnectionConfig(value, errorMode, handshakeTimeout, closeTimeout, maxQueuedMessages, maxQueuedBytes, overflow);
    }

    ConnectionConfig withErrorMode(ErrorMode value) {
        return new ConnectionConfig(raw, value, handshakeTimeout, closeTimeout, maxQueuedMessages, maxQueuedBytes, overflow);
    }

    ConnectionConfig withHandshakeTimeout(Duration value) {
        return new ConnectionConfig(raw, errorMode, value, closeTimeout, maxQueuedMessages, maxQueuedBytes, overflow);
    }

    ConnectionConfig withCloseTimeout(Duration value) {
        return new ConnectionConfig(raw, errorMode, handshakeTimeout, value, maxQueuedMessages, maxQueuedBytes, overflow);
    }

    ConnectionConfig withQueue(int messages, long bytes, OverflowPolicy policy) {
        return new ConnectionConfig(raw, errorMode, handshakeTimeout, closeTimeout, messages, bytes, policy);
    }
}
