package io.reactorucx.connection;

import java.util.Map;

/**
 * The peers of one engine since the engine started.
 *
 * @param missedHeartbeats heartbeat intervals in which nothing arrived from a peer
 * @param lostConnections connections whose peer was lost, by cause: {@code transport} for a failed endpoint,
 *     {@code heartbeat} for a silent peer
 * @param rejectedHandshakes handshakes in which one side rejected the other, or timed out, by reason: {@code version},
 *     {@code mismatch}, {@code authentication}, {@code protocol}, {@code admission}, {@code timeout}, or {@code peer}
 *     where the peer rejected this side
 */
public record PeerStatistics(long missedHeartbeats, Map<String, Long> lostConnections,
        Map<String, Long> rejectedHandshakes) {

    /** Copies the maps. */
    public PeerStatistics {
        lostConnections = Map.copyOf(lostConnections);
        rejectedHandshakes = Map.copyOf(rejectedHandshakes);
    }
}
