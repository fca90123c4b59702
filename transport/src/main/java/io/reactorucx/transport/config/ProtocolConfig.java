package io.reactorucx.transport.config;

import io.reactorucx.security.EncryptionConfig;
import io.reactorucx.security.EncryptionMode;
import io.reactorucx.security.TlsConfig;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The settings of the protocol between framework peers.
 *
 * @param limits the limits that this side announces
 * @param heartbeatInterval the longest silence that this side wants from its peer, zero for any
 * @param authentication the authenticator, null for none
 * @param tls what the control sockets are secured with, null for nothing
 */
public record ProtocolConfig(PeerLimits limits, Duration heartbeatInterval,
        @Nullable AuthenticationConfig authentication, @Nullable TlsConfig tls) {

    /** The shortest heartbeat interval; a peer that asks for less gets this. */
    public static final int MIN_HEARTBEAT_MILLIS = 100;

    private static final Duration SHORTEST = Duration.ofMillis(MIN_HEARTBEAT_MILLIS);
    private static final Duration LONGEST = Duration.ofHours(1);

    public static final ProtocolConfig DEFAULT = new ProtocolConfig(PeerLimits.DEFAULT, Duration.ofSeconds(10), null,
            null);

    public ProtocolConfig {
        Objects.requireNonNull(limits, "limits");
        Objects.requireNonNull(heartbeatInterval, "heartbeatInterval");
        if (!heartbeatInterval.isZero() && (heartbeatInterval.compareTo(SHORTEST) < 0
                || heartbeatInterval.compareTo(LONGEST) > 0)) {
            throw new IllegalArgumentException("heartbeatInterval " + heartbeatInterval + ": must be 0 or in "
                    + SHORTEST + ".." + LONGEST);
        }
    }

    /** Returns how data is encrypted: not at all without TLS. */
    public EncryptionConfig encryption() {
        return tls == null ? EncryptionConfig.DEFAULT.withMode(EncryptionMode.OFF) : tls.encryption();
    }

    ProtocolConfig withLimits(PeerLimits value) {
        return new ProtocolConfig(value, heartbeatInterval, authentication, tls);
    }

    public ProtocolConfig withHeartbeatInterval(Duration value) {
        return new ProtocolConfig(limits, value, authentication, tls);
    }

    public ProtocolConfig withAuthentication(AuthenticationConfig value) {
        return new ProtocolConfig(limits, heartbeatInterval, value, tls);
    }

    public ProtocolConfig withTls(TlsConfig value) {
        return new ProtocolConfig(limits, heartbeatInterval, authentication, Objects.requireNonNull(value, "tls"));
    }
}
