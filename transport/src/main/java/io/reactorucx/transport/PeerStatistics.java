package io.reactorucx.transport;

import java.util.Map;

/**
 * The peers of one engine: counts since the engine started, and the connections of now.
 *
 * @param liveConnections connections that have an endpoint now, by state: {@code connecting}, {@code connected} or
 *     {@code closing}
 * @param establishedConnections those of them whose handshake is done, by what their data goes over: the {@link
 *     io.reactorucx.core.UcxTransportKind#tag() kind} of transport, or {@code mixed} for several kinds
 * @param missedHeartbeats heartbeat intervals in which nothing arrived from a peer
 * @param lostConnections connections whose peer was lost, by cause: {@code transport} for a failed endpoint,
 *     {@code heartbeat} for a silent peer
 * @param rejectedHandshakes handshakes in which one side rejected the other, or timed out, by reason: {@code version},
 *     {@code mismatch}, {@code authentication}, {@code protocol}, {@code admission}, {@code timeout}, or {@code peer}
 *     where the peer rejected this side
 */
public record PeerStatistics(Map<String, Long> liveConnections, Map<String, Long> establishedConnections,
        long missedHeartbeats, Map<String, Long> lostConnections, Map<String, Long> rejectedHandshakes) {

    /** Copies the maps. */
    public PeerStatistics {
        liveConnections = Map.copyOf(liveConnections);
        establishedConnections = Map.copyOf(establishedConnections);
        lostConnections = Map.copyOf(lostConnections);
        rejectedHandshakes = Map.copyOf(rejectedHandshakes);
    }
}
