package io.reactorucx.transport.encryption;

import io.reactorucx.security.EncryptionConfig;
import io.reactorucx.security.EncryptionMode;
import io.reactorucx.transport.EncryptionStatistics;
import io.reactorucx.transport.carrier.Carrier;
import io.reactorucx.transport.config.ConnectionConfig;
import io.reactorucx.transport.connection.ConnectionCore;
import io.reactorucx.transport.connection.EngineConnections;
import io.reactorucx.transport.connection.ProtocolFactory;
import io.reactorucx.transport.connection.ProtocolHandler;
import io.reactorucx.transport.frame.ReservedMessageIds;
import io.reactorucx.transport.handshake.ConnectionIdentity;
import io.reactorucx.transport.handshake.FairLimit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes the encryption of the connections of one engine that have TLS. Made after the rings, since its layer lies over
 * theirs; the first of the protocols, since it carries the messages of all others.
 *
 * <p>Thread: engine.
 */
public final class EncryptionProtocolFactory implements ProtocolFactory {

    private final EncryptionCounters counters = new EncryptionCounters();
    private final EngineConnections connections;
    private final FairLimit limit;
    private @Nullable RecordMemory memory;

    /**
     * Creates the encryption of an engine.
     *
     * @param limit the bytes of encrypted large messages that may be under way
     */
    public EncryptionProtocolFactory(EngineConnections connections, FairLimit limit) {
        this.connections = connections;
        this.limit = limit;
        connections.layers().add(this::over);
    }

    private Carrier over(Carrier below, ConnectionConfig config, ConnectionIdentity identity) {
        EncryptionConfig encryption = config.protocol().encryption();
        return identity.exported() == null || encryption.mode() == EncryptionMode.OFF ? below
                : new EncryptingCarrier(below, identity, encryption, this::memory, counters);
    }

    /** Returns the memory, which an engine has from its first encrypted connection on. */
    private RecordMemory memory() {
        RecordMemory made = memory;
        if (made == null) {
            made = new RecordMemory(limit, counters.memoryBytes());
            memory = made;
            connections.engineEnd().listen(made::close);
        }
        return made;
    }

    /** Returns what the encryption of an engine with these protocols counts; zeros where it has none. Thread: any. */
    public static EncryptionStatistics statistics(List<ProtocolFactory> protocols) {
        for (ProtocolFactory each : protocols) {
            if (each instanceof EncryptionProtocolFactory encryption) {
                return encryption.counters.snapshot();
            }
        }
        return EncryptionStatistics.NONE;
    }

    @Override
    public int reservedId() {
        return ReservedMessageIds.RECORDS;
    }

    @Override
    public @Nullable ProtocolHandler create(ConnectionCore connection) {
        return connection.carrier() instanceof EncryptingCarrier carrier
                ? new EncryptionProtocol(connection, carrier, keys -> new RecordReceiver(connection, carrier, keys,
                memory(), counters)) : null;
    }
}
