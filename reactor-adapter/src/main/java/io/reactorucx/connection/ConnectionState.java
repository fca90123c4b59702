package io.reactorucx.connection;

/** The state of a connection. */
public enum ConnectionState {
    /** Ready for operations. */
    CONNECTED,
    /** Lost, and being replaced: only of a {@link io.reactorucx.UcxReconnectingConnection}. */
    RECONNECTING,
    /** Closing, by this side or the peer: new operations are refused, operations in flight end. */
    CLOSING,
    /** Closed. */
    CLOSED
}
