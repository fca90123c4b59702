package io.reactorucx.internal.message;

import io.reactorucx.internal.counter.ProtocolCounters;
import io.reactorucx.internal.lease.LeasePool;
import io.reactorucx.transport.connection.ConnectionCore;
import io.reactorucx.transport.connection.ProtocolFactory;
import io.reactorucx.transport.connection.ProtocolHandler;
import io.reactorucx.transport.frame.ReservedMessageIds;
import org.jspecify.annotations.Nullable;

/**
 * Makes the protocol of flow-controlled messages for the connections of one engine, which share batches, the window of
 * large messages, and, over shared memory, the window of batches that may be in flight to one peer.
 */
public final class MessageProtocolFactory implements ProtocolFactory {

    private final LeasePool pool;
    private final ProtocolCounters counts;
    private final MessageCounters counters = new MessageCounters();
    private final MessageBatch.Pool batches = new MessageBatch.Pool();
    private final SharedSendWindow.Registry windows = new SharedSendWindow.Registry();
    private final SharedSendWindow offers;
    private final DemandWatch demandWatch = new DemandWatch();

    /** Creates a factory for an engine that may have so many operations in flight, a part of them large messages. */
    public MessageProtocolFactory(LeasePool pool, ProtocolCounters counts, int maxInFlight) {
        this.pool = pool;
        this.counts = counts;
        // The rest is for the other operations of the application, which are refused when there is no slot.
        this.offers = new SharedSendWindow(Math.max(1, maxInFlight - maxInFlight / 4));
    }

    @Override
    public int reservedId() {
        return ReservedMessageIds.MESSAGES;
    }

    @Override
    public @Nullable ProtocolHandler create(ConnectionCore connection) {
        return connection.config().raw() ? null : new MessageMultiplexer(connection, this);
    }

    LeasePool pool() {
        return pool;
    }

    /** Returns the counters of messages. Thread: any. */
    public MessageCounters counters() {
        return counters;
    }

    /** Returns the counters that all protocols of the engine share. Thread: any. */
    public ProtocolCounters counts() {
        return counts;
    }

    MessageBatch.Pool batches() {
        return batches;
    }

    SharedSendWindow.Registry windows() {
        return windows;
    }

    /** Returns the window of large messages that wait for any peer to fetch them. */
    SharedSendWindow offers() {
        return offers;
    }

    DemandWatch demandWatch() {
        return demandWatch;
    }
}
