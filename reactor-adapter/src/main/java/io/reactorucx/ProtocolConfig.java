package io.reactorucx;

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
record ProtocolConfig(PeerLimits limits, Duration heartbeatInterval, @Nullable Authentication authentication) {

    private static final Duration SHORTEST = Duration.ofMillis(PeerFacts.MIN_HEARTBEAT_MILLIS);
    private static final Duration LONGEST = Duration.ofHours(1);

    static final ProtocolConfig DEFAULT = new ProtocolConfig(PeerLimits.DEFAULT, Duration.ofSeconds(10), null);

    ProtocolConfig {
        Objects.requireNonNull(limits, "limits");
        Objects.requireNonNull(heartbeatInterval, "heartbeatInterval");
        if (!heartbeatInterval.isZero() && (heartbeatInterval.compareTo(SHORTEST) < 0 || heartbeatInterval.compareTo(LONGEST) > 0)) {
            throw new IllegalArgumentException("heartbeatInterval " + heartbeatInterval + ": must be 0 or in " + SHORTEST + ".." + LONGEST);
        }
    }

    ProtocolConfig withLimits(PeerLimits value) {
        return new ProtocolConfig(value, heartbeatInterval, authentication);
    }

    ProtocolConfig withHeartbeatInterval(Duration value) {
        return new ProtocolConfig(limits, value, authentication);
    }

    ProtocolConfig withAuthentication(Authentication value) {
        return new ProtocolConfig(limits, heartbeatInterval, value);
    }
}
