package io.reactorucx.internal.mapped;

import io.reactorucx.transport.buffer.BufferPool;
import io.reactorucx.transport.connection.ConnectionCore;
import io.reactorucx.transport.connection.ProtocolFactory;
import io.reactorucx.transport.connection.ProtocolHandler;
import io.reactorucx.transport.frame.ReservedMessageIds;
import io.reactorucx.transport.handshake.FairLimit;
import org.jspecify.annotations.Nullable;

/** Makes the protocol of mapped memory for the connections of one engine, which share what they have mapped. */
public final class MappedProtocolFactory implements ProtocolFactory {

    private final BufferPool pool;
    private final PeerSlabs peerSlabs;

    public MappedProtocolFactory(BufferPool pool, FairLimit shares) {
        this.pool = pool;
        this.peerSlabs = new PeerSlabs(pool.mapped(), shares);
    }

    @Override
    public int reservedId() {
        return ReservedMessageIds.MAPPED;
    }

    @Override
    public @Nullable ProtocolHandler create(ConnectionCore connection) {
        return connection.config().raw() ? null : new MappedProtocol(connection, pool, peerSlabs);
    }
}
