package io.reactorucx.transport.ring;

import io.reactorucx.engine.CommandExecutor;
import io.reactorucx.engine.PolledSource;
import io.reactorucx.transport.buffer.MappedMemory;
import io.reactorucx.transport.carrier.Carrier;
import io.reactorucx.transport.connection.ConnectionCore;
import io.reactorucx.transport.connection.ProtocolHandler;
import io.reactorucx.transport.handshake.FairLimit;
import java.time.Duration;
import java.util.Objects;

/** The rings of a simulated engine: real ones, beside an endpoint that is not. */
public final class SimulatedRings {

    private static final int RING_BYTES = RingLayout.MIN_BYTES;
    private static final Duration IDLE = Duration.ofSeconds(5);

    private final int maxPending;
    private final RingCounters counters = new RingCounters();
    private final RingLinks links;
    private PolledSource polled;
    private RingCarrier carrier;
    private RingProtocol protocol;
    private boolean asleep;

    /**
     * Creates the rings of an engine.
     *
     * @param maxPending as many frames may wait for room
     * @param maxBytes of memory that they may map
     */
    public SimulatedRings(CommandExecutor engine, int maxPending, long maxBytes) {
        this.maxPending = maxPending;
        this.links = new RingLinks(engine, source -> polled = source, RING_BYTES, new MappedMemory(maxBytes),
                new FairLimit(maxBytes, maxBytes), counters, IDLE);
    }

    /** Returns a carrier whose small frames go over a ring once both sides have agreed on that. */
    public Carrier over(Carrier endpoint) {
        carrier = new RingCarrier(endpoint, maxPending, counters);
        return carrier;
    }

    /** Returns the protocol by which the two sides of a connection agree. */
    public ProtocolHandler handler(ConnectionCore connection) {
        protocol = new RingProtocol(connection, carrier, carrier.rest(), links);
        return protocol;
    }

    /** A frame of the agreement has come over the endpoint. */
    public void received(byte[] frame) {
        protocol.received(Objects.requireNonNull(RingFrame.parse(frame), "a frame of the agreement"));
    }

    /** Does what an engine does in each round. */
    public void poll() {
        wake();
        if (polled != null) {
            polled.poll();
        }
    }

    /** Returns whether the next round has something to do: a sleep would not begin. */
    public boolean hasWork() {
        return polled != null && !asleep && links.hasWork();
    }

    /** Tries to fall asleep. */
    public void park() {
        if (polled != null && !asleep) {
            asleep = polled.park();
            if (!asleep) {
                polled.unpark();
            }
        }
    }

    /** The engine is awake. */
    public void wake() {
        if (asleep) {
            asleep = false;
            polled.unpark();
        }
    }

    public boolean isAsleep() {
        return asleep;
    }

    /** Returns the messages that have gone over the rings to the peer. */
    public long sent() {
        return counters.snapshot().sentRecords();
    }

    /** The engine closes, or the simulation ends. */
    public void close() {
        links.engineClosed();
    }
}
