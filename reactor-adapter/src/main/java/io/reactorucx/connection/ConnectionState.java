package io.reactorucx.connection;

/** The states of a connection. */
public enum ConnectionState {
    /** Ready for operations. */
    CONNECTED,
    /** Lost and being replaced: only a {@code UcxReconnectingConnection} has this state. */
    RECONNECTING,
    /** One side has started to close: new operations are rejected, those in flight complete or fail. */
    CLOSING,
    /** The connection has ended. */
    CLOSED
}
