package io.reactorucx.internal.config;

import io.reactorucx.internal.handshake.PeerInfo;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What this side wants of a framework peer.
 *
 * @param limits what it tells the peer that it takes
 * @param heartbeatInterval longest time without a sign of life, zero for any
 * @param authentication how the sides prove who they are; null if they need not
 */
public record ProtocolConfig(PeerLimits limits, Duration heartbeatInterval,
        @Nullable AuthenticationConfig authentication) {

    private static final Duration SHORTEST = Duration.ofMillis(PeerInfo.MIN_HEARTBEAT_MILLIS);
    private static final Duration LONGEST = Duration.ofHours(1);

    public static final ProtocolConfig DEFAULT = new ProtocolConfig(PeerLimits.DEFAULT, Duration.ofSeconds(10), null);

    public ProtocolConfig {
        Objects.requireNonNull(limits, "limits");
        Objects.requireNonNull(heartbeatInterval, "heartbeatInterval");
        if (!heartbeatInterval.isZero() && (heartbeatInterval.compareTo(SHORTEST) < 0
                || heartbeatInterval.compareTo(LONGEST) > 0)) {
            throw new IllegalArgumentException("heartbeatInterval " + heartbeatInterval + ": must be 0 or in "
                    + SHORTEST + ".." + LONGEST);
        }
    }

    ProtocolConfig withLimits(PeerLimits value) {
        return new ProtocolConfig(value, heartbeatInterval, authentication);
    }

    public ProtocolConfig withHeartbeatInterval(Duration value) {
        return new ProtocolConfig(limits, value, authentication);
    }

    public ProtocolConfig withAuthentication(AuthenticationConfig value) {
        return new ProtocolConfig(limits, heartbeatInterval, value);
    }
}
