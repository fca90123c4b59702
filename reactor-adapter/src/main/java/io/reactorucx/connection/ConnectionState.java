package io.reactorucx.connection;

import io.reactorucx.UcxReconnectingConnection;

/** Where a connection is in its life. */
public enum ConnectionState {
    /** Ready for operations. */
    CONNECTED,
    /** Lost, and being made anew: only of a {@link UcxReconnectingConnection}. */
    RECONNECTING,
    /** The end has begun, by whichever side: new operations are refused, those under way end. */
    CLOSING,
    /** Gone. */
    CLOSED
}
