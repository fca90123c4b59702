package io.reactorucx.transport.connection;

import org.jspecify.annotations.Nullable;

/**
 * The state machine of a connection: one table gives for each {@link ConnectionPhase} and each {@link ConnectionEvent}
 * the next phase, or says that the phase ignores the event.
 *
 * <p>Thread: engine, but for {@link #phase()}, which any thread may call.
 */
final class ConnectionLifecycle {

    private volatile ConnectionPhase phase = ConnectionPhase.CONNECTING;
    private boolean established;

    /** Returns the current phase. Thread: any. */
    ConnectionPhase phase() {
        return phase;
    }

    /** Returns whether the connection has been open. */
    boolean wasEstablished() {
        return established;
    }

    /** Goes to the next phase, and returns false if the current phase ignores the event. */
    boolean advance(ConnectionEvent event) {
        ConnectionPhase next = next(phase, event);
        if (next == null) {
            return false;
        }
        phase = next;
        established |= next == ConnectionPhase.CONNECTED;
        return true;
    }

    /**
     * Returns the phase that an event leads to, or null when the given phase ignores it. The switches list all phases
     * and all events, so that the compiler rejects a new one without an entry.
     */
    static @Nullable ConnectionPhase next(ConnectionPhase phase, ConnectionEvent event) {
        if (event == ConnectionEvent.ENGINE_CLOSED) {
            return phase == ConnectionPhase.CLOSED ? null : ConnectionPhase.CLOSED;
        }
        return switch (phase) {
            case CONNECTING, WIRING, ABANDONED, REJECTED -> whileConnecting(phase, event);
            case CONNECTED, LAST_ARRIVALS, PEER_FINISHED, PEER_ACKNOWLEDGED -> whileOpen(phase, event);
            case DRAINING, FIN_SENT, FIN_RECEIVED, FIN_ACKNOWLEDGED, LEAVING -> whileDraining(phase, event);
            case TERMINATING, ABORTING, STUCK -> whileTerminating(phase, event);
            case RELEASING, CLOSING_ENDPOINT, OVERDUE, ENDPOINT_GONE -> whileTheEndpointCloses(phase, event);
            case CLOSED -> null;
        };
    }

    private static @Nullable ConnectionPhase whileConnecting(ConnectionPhase phase, ConnectionEvent event) {
        return switch (event) {
            case WIRE_UP_STARTED -> phase == ConnectionPhase.CONNECTING ? ConnectionPhase.WIRING : null;
            case WIRE_UP_ENDED -> switch (phase) {
                case WIRING -> ConnectionPhase.CONNECTING;
                case ABANDONED -> ConnectionPhase.TERMINATING;
                default -> null;
            };
            case ABANDON -> switch (phase) {
                case WIRING -> ConnectionPhase.ABANDONED;
                case ABANDONED -> null;
                default -> ConnectionPhase.TERMINATING;
            };
            case REJECT -> phase == ConnectionPhase.CONNECTING ? ConnectionPhase.REJECTED : null;
            case HANDSHAKE_DONE -> phase == ConnectionPhase.CONNECTING ? ConnectionPhase.CONNECTED : null;
            case CLOSE, FORCE_CLOSE -> phase == ConnectionPhase.WIRING
                    ? ConnectionPhase.ABANDONED : ConnectionPhase.TERMINATING;
            case FIN_ARRIVED, PEER_LEFT, PEER_FAILED -> ConnectionPhase.TERMINATING;
            case TIMEOUT -> ConnectionPhase.ABORTING;
            case FIN, FIN_ACK, FAREWELL_DONE, LAST_FLUSH_DONE, DRAINED, RAW_PEER_LEFT, RELEASE_STARTED, CLOSE_STARTED,
                    CLOSE_POSTPONED, ENDPOINT_GONE, OPERATIONS_DONE, ENGINE_CLOSED -> null;
        };
    }

    private static @Nullable ConnectionPhase whileOpen(ConnectionPhase phase, ConnectionEvent event) {
        return switch (event) {
            case CLOSE -> switch (phase) {
                case PEER_FINISHED -> ConnectionPhase.FIN_RECEIVED;
                case PEER_ACKNOWLEDGED -> ConnectionPhase.FIN_ACKNOWLEDGED;
                default -> ConnectionPhase.DRAINING;
            };
            case FORCE_CLOSE, PEER_LEFT, PEER_FAILED -> ConnectionPhase.TERMINATING;
            case FIN_ARRIVED -> phase == ConnectionPhase.CONNECTED ? ConnectionPhase.PEER_FINISHED : null;
            case FIN_ACK -> phase == ConnectionPhase.PEER_FINISHED ? ConnectionPhase.PEER_ACKNOWLEDGED : null;
            case RAW_PEER_LEFT -> phase == ConnectionPhase.CONNECTED ? ConnectionPhase.LAST_ARRIVALS : null;
            case TIMEOUT -> ConnectionPhase.ABORTING;
            case WIRE_UP_STARTED, WIRE_UP_ENDED, ABANDON, REJECT, HANDSHAKE_DONE, FIN, FAREWELL_DONE, LAST_FLUSH_DONE,
                    DRAINED, RELEASE_STARTED, CLOSE_STARTED, CLOSE_POSTPONED, ENDPOINT_GONE, OPERATIONS_DONE,
                    ENGINE_CLOSED -> null;
        };
    }

    private static @Nullable ConnectionPhase whileDraining(ConnectionPhase phase, ConnectionEvent event) {
        return switch (event) {
            case FIN -> phase == ConnectionPhase.DRAINING ? ConnectionPhase.FIN_SENT : null;
            case FIN_ARRIVED -> phase == ConnectionPhase.DRAINING || phase == ConnectionPhase.FIN_SENT
                    ? ConnectionPhase.FIN_RECEIVED : null;
            case FIN_ACK -> phase == ConnectionPhase.FIN_RECEIVED ? ConnectionPhase.FIN_ACKNOWLEDGED : null;
            case FAREWELL_DONE -> phase == ConnectionPhase.DRAINING || phase == ConnectionPhase.LEAVING
                    ? null : ConnectionPhase.LEAVING;
            case LAST_FLUSH_DONE -> phase == ConnectionPhase.LEAVING ? ConnectionPhase.TERMINATING : null;
            case DRAINED -> phase == ConnectionPhase.DRAINING || phase == ConnectionPhase.FIN_SENT
                    ? ConnectionPhase.TERMINATING : null;
            case FORCE_CLOSE, PEER_LEFT, PEER_FAILED -> ConnectionPhase.TERMINATING;
            case TIMEOUT -> ConnectionPhase.ABORTING;
            case WIRE_UP_STARTED, WIRE_UP_ENDED, ABANDON, REJECT, HANDSHAKE_DONE, CLOSE, RAW_PEER_LEFT, RELEASE_STARTED,
                    CLOSE_STARTED, CLOSE_POSTPONED, ENDPOINT_GONE, OPERATIONS_DONE, ENGINE_CLOSED -> null;
        };
    }

    private static @Nullable ConnectionPhase whileTerminating(ConnectionPhase phase, ConnectionEvent event) {
        return switch (event) {
            case RELEASE_STARTED -> phase == ConnectionPhase.TERMINATING ? ConnectionPhase.RELEASING : null;
            case CLOSE_STARTED -> switch (phase) {
                case TERMINATING -> ConnectionPhase.CLOSING_ENDPOINT;
                case ABORTING -> ConnectionPhase.OVERDUE;
                default -> null;
            };
            case CLOSE_POSTPONED -> phase == ConnectionPhase.STUCK ? null : ConnectionPhase.STUCK;
            case ENDPOINT_GONE -> phase == ConnectionPhase.STUCK ? null : ConnectionPhase.ENDPOINT_GONE;
            case DRAINED, FORCE_CLOSE, PEER_LEFT, PEER_FAILED, TIMEOUT -> phase == ConnectionPhase.STUCK
                    ? ConnectionPhase.ABORTING : null;
            case WIRE_UP_STARTED, WIRE_UP_ENDED, ABANDON, REJECT, HANDSHAKE_DONE, CLOSE, FIN_ARRIVED, FIN, FIN_ACK,
                    FAREWELL_DONE, LAST_FLUSH_DONE, RAW_PEER_LEFT, OPERATIONS_DONE, ENGINE_CLOSED -> null;
        };
    }

    private static @Nullable ConnectionPhase whileTheEndpointCloses(ConnectionPhase phase, ConnectionEvent event) {
        return switch (event) {
            case PEER_FAILED -> phase == ConnectionPhase.RELEASING ? ConnectionPhase.TERMINATING : null;
            case ENDPOINT_GONE -> switch (phase) {
                case RELEASING, CLOSING_ENDPOINT -> ConnectionPhase.ENDPOINT_GONE;
                case OVERDUE -> ConnectionPhase.OVERDUE;
                default -> null;
            };
            case TIMEOUT -> switch (phase) {
                case RELEASING -> ConnectionPhase.ABORTING;
                case CLOSING_ENDPOINT, ENDPOINT_GONE -> ConnectionPhase.OVERDUE;
                default -> null;
            };
            case OPERATIONS_DONE -> phase == ConnectionPhase.OVERDUE || phase == ConnectionPhase.ENDPOINT_GONE
                    ? ConnectionPhase.CLOSED : null;
            case WIRE_UP_STARTED, WIRE_UP_ENDED, ABANDON, REJECT, HANDSHAKE_DONE, CLOSE, FORCE_CLOSE, FIN_ARRIVED, FIN,
                    FIN_ACK, FAREWELL_DONE, LAST_FLUSH_DONE, DRAINED, RAW_PEER_LEFT, PEER_LEFT, RELEASE_STARTED,
                    CLOSE_STARTED, CLOSE_POSTPONED, ENGINE_CLOSED -> null;
        };
    }
}
