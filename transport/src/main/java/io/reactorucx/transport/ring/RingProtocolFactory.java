package io.reactorucx.transport.ring;

import io.reactorucx.engine.ProgressEngine;
import io.reactorucx.transport.RingStatistics;
import io.reactorucx.transport.buffer.MappedMemory;
import io.reactorucx.transport.carrier.Carrier;
import io.reactorucx.transport.config.TransportSettings;
import io.reactorucx.transport.connection.ConnectionCore;
import io.reactorucx.transport.connection.EngineConnections;
import io.reactorucx.transport.connection.ProtocolFactory;
import io.reactorucx.transport.connection.ProtocolHandler;
import io.reactorucx.transport.frame.ReservedMessageIds;
import io.reactorucx.transport.handshake.ResourceLimits;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes the rings of one engine, and the carriers that use them. Before the protocols whose messages wait for rings,
 * and behind encryption.
 *
 * <p>Thread: engine.
 */
public final class RingProtocolFactory implements ProtocolFactory {

    /** The size of a ring where UCX chooses the transports and no setting says otherwise. */
    public static final int DEFAULT_BYTES = 256 << 10;

    private final RingCounters counters = new RingCounters();
    private final RingLinks links;

    /**
     * Creates the rings of an engine, and has its connections use them.
     *
     * @param limits have the size of each ring, more than 0, and what one client can have of the memory
     * @param memory the limit of what rings and the slabs of peers may take together
     */
    public RingProtocolFactory(EngineConnections connections, ResourceLimits limits, MappedMemory memory) {
        ProgressEngine engine = connections.progressEngine();
        int maxInFlight = engine.config().maxInFlight();
        this.links = new RingLinks(engine, limits.ringBytes(), memory, limits.mappedBytes(), counters);
        connections.layers().add((endpoint, config, peer) -> new RingCarrier(endpoint, maxInFlight, counters));
    }

    /**
     * Returns the size of a ring, 0 for no rings.
     *
     * @param set what a setting says; null for the default, which has none where transports are named, since they have
     *     to carry the data
     */
    public static int ringBytes(@Nullable Integer set, TransportSettings transports) {
        return set != null ? set : transports.leaveChoice() ? DEFAULT_BYTES : 0;
    }

    /** Returns the size of a ring, or throws; 0 stands for no rings, null for the default. */
    public static @Nullable Integer checkRingBytes(@Nullable Integer bytes) {
        if (bytes != null && bytes != 0 && !RingLayout.isSize(bytes)) {
            throw new IllegalArgumentException("ringBytes " + bytes + ": must be 0, or a power of two in "
                    + RingLayout.MIN_BYTES + ".." + RingLayout.MAX_BYTES);
        }
        return bytes;
    }

    /** Returns what the rings of an engine with these protocols count; zeros where it has none. Thread: any. */
    public static RingStatistics statistics(List<ProtocolFactory> protocols) {
        for (ProtocolFactory each : protocols) {
            if (each instanceof RingProtocolFactory rings) {
                return rings.counters.snapshot();
            }
        }
        return RingStatistics.NONE;
    }

    @Override
    public int reservedId() {
        return ReservedMessageIds.RINGS;
    }

    @Override
    public @Nullable ProtocolHandler create(ConnectionCore connection) {
        Carrier carrier = connection.carrier().below();
        return carrier instanceof RingCarrier ring && !connection.config().raw()
                ? new RingProtocol(connection, ring, ring.rest(), links) : null;
    }
}
