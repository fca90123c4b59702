package io.reactorucx.internal.memory;

import io.reactorucx.internal.counter.ProtocolCounters;
import io.reactorucx.transport.connection.ConnectionCore;
import io.reactorucx.transport.connection.ProtocolFactory;
import io.reactorucx.transport.connection.ProtocolHandler;
import io.reactorucx.transport.frame.ReservedMessageIds;
import org.jspecify.annotations.Nullable;

/** Makes the protocol of served memory, over the windows that all engines share. */
public record MemoryProtocolFactory(WindowRegistry windows, ProtocolCounters counts) implements ProtocolFactory {

    @Override
    public int reservedId() {
        return ReservedMessageIds.MEMORY;
    }

    @Override
    public @Nullable ProtocolHandler create(ConnectionCore connection) {
        return connection.config().raw() ? null : new MemoryProtocol(connection, windows, counts);
    }
}
