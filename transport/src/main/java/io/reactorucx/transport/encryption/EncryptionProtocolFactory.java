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
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes the encryption of the connections of one engine that have TLS. Its layer lies over that of the rings, and comes
 * before the protocols whose messages it carries.
 *
 * <p>Thread: engine.
 */
public final class EncryptionProtocolFactory implements ProtocolFactory {

    private final EncryptionCounters counters = new EncryptionCounters();
    private final long maxBytes;
    private @Nullable RecordMemory memory;

    /**
     * Creates the encryption of an engine.
     *
     * @param maxBytes what encrypted large messages may have under way
     */
    public EncryptionProtocolFactory(EngineConnections connections, long maxBytes) {
        this.maxBytes = maxBytes;
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
            made = new RecordMemory(maxBytes, counters.memoryBytes());
            memory = made;
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
