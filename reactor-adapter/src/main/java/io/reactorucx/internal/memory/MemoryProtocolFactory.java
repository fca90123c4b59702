package io.reactorucx.internal.memory;

import io.reactorucx.internal.connection.ConnectionCore;
import io.reactorucx.internal.connection.ProtocolFactory;
import io.reactorucx.internal.connection.ProtocolHandler;
import io.reactorucx.internal.frame.ReservedMessageIds;
import org.jspecify.annotations.Nullable;

/** Makes the protocol of served memory, over the windows that all engines share. */
public record MemoryProtocolFactory(WindowRegistry windows) implements ProtocolFactory {

    @Override
    public int reservedId() {
        return ReservedMessageIds.MEMORY;
    }

    @Override
    public @Nullable ProtocolHandler create(ConnectionCore connection) {
        return connection.config().raw() ? null : new MemoryProtocol(connection, windows);
    }
}
