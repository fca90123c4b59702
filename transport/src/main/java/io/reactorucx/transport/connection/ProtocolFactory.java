package io.reactorucx.transport.connection;

import io.reactorucx.core.DataPlacement;
import org.jspecify.annotations.Nullable;

/**
 * Creates the handlers of one protocol for the connections of one engine, and holds what they share.
 *
 * <p>Thread: engine.
 */
public interface ProtocolFactory {

    /** The value of {@link #reservedId()} for a protocol without one. */
    int NO_ID = -1;

    /** Returns the reserved id of the protocol's active messages, or {@link #NO_ID}. */
    default int reservedId() {
        return NO_ID;
    }

    /** Returns where large data of the protocol's active messages goes, null for the Java heap or UCX's buffers. */
    default @Nullable DataPlacement placement() {
        return null;
    }

    /** Returns the handler for a new connection, or null if it does not speak the protocol, as with a raw peer. */
    @Nullable ProtocolHandler create(ConnectionCore connection);
}
