package io.reactorucx.transport.config;

import io.reactorucx.core.ErrorMode;
import io.reactorucx.core.UcxTransportKind;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The settings of a connection that clients and servers share. */
public record ConnectionConfig(boolean raw, ErrorMode errorMode, Duration handshakeTimeout, Duration closeTimeout,
        ReceiveQueueConfig queue, ProtocolConfig protocol, FlowControlConfig messages,
        @Nullable Wiretap wiretap, TransportRequirement requirement) {

    private static final Duration LONGEST = Duration.ofHours(1);

    public static final ConnectionConfig DEFAULT = new ConnectionConfig(false, ErrorMode.PEER, Duration.ofSeconds(10),
            Duration.ofSeconds(5), ReceiveQueueConfig.DEFAULT, ProtocolConfig.DEFAULT, FlowControlConfig.DEFAULT,
            null, TransportRequirement.ANY);

    public ConnectionConfig {
        Objects.requireNonNull(handshakeTimeout, "timeout");
        Objects.requireNonNull(closeTimeout, "closeTimeout");
        Objects.requireNonNull(queue, "queue");
        Objects.requireNonNull(protocol, "protocol");
        Objects.requireNonNull(requirement, "requirement");
        if (handshakeTimeout.compareTo(Duration.ofMillis(1)) < 0 || handshakeTimeout.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("timeout " + handshakeTimeout + ": must be in 1 ms.." + LONGEST);
        }
        if (closeTimeout.isNegative() || closeTimeout.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("closeTimeout " + closeTimeout + ": must be in 0.." + LONGEST);
        }
    }

    public ConnectionConfig withRaw(boolean value) {
        return new ConnectionConfig(value, errorMode, handshakeTimeout, closeTimeout, queue, protocol, messages,
                wiretap, requirement);
    }

    public ConnectionConfig withErrorMode(ErrorMode value) {
        return new ConnectionConfig(raw, value, handshakeTimeout, closeTimeout, queue, protocol, messages,
                wiretap, requirement);
    }

    public ConnectionConfig withHandshakeTimeout(Duration value) {
        return new ConnectionConfig(raw, errorMode, value, closeTimeout, queue, protocol, messages,
                wiretap, requirement);
    }

    public ConnectionConfig withCloseTimeout(Duration value) {
        return new ConnectionConfig(raw, errorMode, handshakeTimeout, value, queue, protocol, messages,
                wiretap, requirement);
    }

    public ConnectionConfig withQueue(ReceiveQueueConfig value) {
        return new ConnectionConfig(raw, errorMode, handshakeTimeout, closeTimeout, value, protocol, messages,
                wiretap, requirement);
    }

    public ConnectionConfig withMessages(FlowControlConfig value) {
        return new ConnectionConfig(raw, errorMode, handshakeTimeout, closeTimeout, queue, protocol, value,
                wiretap, requirement);
    }

    public ConnectionConfig withProtocol(ProtocolConfig value) {
        return new ConnectionConfig(raw, errorMode, handshakeTimeout, closeTimeout, queue, value, messages,
                wiretap, requirement);
    }

    public ConnectionConfig withWiretap(Wiretap value) {
        return new ConnectionConfig(raw, errorMode, handshakeTimeout, closeTimeout, queue, protocol, messages, value,
                requirement);
    }

    public ConnectionConfig withRequirement(UcxTransportKind... kinds) {
        return new ConnectionConfig(raw, errorMode, handshakeTimeout, closeTimeout, queue, protocol, messages, wiretap,
                TransportRequirement.of(kinds));
    }

    /** Refuses what has no control socket, which TLS would secure. */
    public void checkSecured(boolean byWorkerAddress) {
        if (protocol.tls() != null && (raw || byWorkerAddress)) {
            throw new IllegalStateException("secure(..) together with " + (raw ? "raw(true)" : "a worker's address")
                    + ": not possible, TLS secures the control socket, which such a connection does not have");
        }
    }
}
