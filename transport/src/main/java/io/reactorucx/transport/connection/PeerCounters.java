package io.reactorucx.transport.connection;

import io.reactorucx.transport.PeerStatistics;
import io.reactorucx.transport.handshake.HandshakeFailure;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.Collectors;

/** Counts the lost and rejected peers of one engine. Any thread. */
final class PeerCounters {

    private final AtomicLong missedHeartbeats = new AtomicLong();
    private final AtomicLongArray losses = new AtomicLongArray(Loss.values().length);
    private final AtomicLongArray rejections = new AtomicLongArray(HandshakeFailure.Kind.values().length);

    /** The cause of a loss. There are few, because they are values of a tag. */
    enum Loss {
        /** UCX reported the endpoint as failed. */
        TRANSPORT,
        /** Nothing arrived from the peer. */
        HEARTBEAT
    }

    void missedHeartbeat() {
        missedHeartbeats.incrementAndGet();
    }

    void lost(Loss loss) {
        losses.incrementAndGet(loss.ordinal());
    }

    void rejected(HandshakeFailure.Kind reason) {
        rejections.incrementAndGet(reason.ordinal());
    }

    PeerStatistics snapshot(Map<String, Long> live, Map<String, Long> established) {
        return new PeerStatistics(live, established, missedHeartbeats.get(), byName(Loss.values(), losses),
                byName(HandshakeFailure.Kind.values(), rejections));
    }

    private static Map<String, Long> byName(Enum<?>[] values, AtomicLongArray counts) {
        return Arrays.stream(values).collect(Collectors.toMap(value -> value.name().toLowerCase(Locale.ROOT),
                value -> counts.get(value.ordinal())));
    }
}
