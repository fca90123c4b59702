package io.reactorucx.internal.message;

import io.reactorucx.engine.CommandExecutor;
import io.reactorucx.internal.counter.ProtocolCounters;
import io.reactorucx.internal.lease.LeasePool;
import io.reactorucx.internal.message.batch.MessageBatch;
import io.reactorucx.internal.message.context.MessageCounters;
import io.reactorucx.internal.message.send.SharedSendWindow;
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

    private final EngineMessages shared;

    /** Creates a factory for an engine, a part of whose operations in flight may be large messages. */
    public MessageProtocolFactory(LeasePool pool, ProtocolCounters counts, CommandExecutor engine, int maxInFlight) {
        // The rest is for the other operations of the application, which are refused when there is no slot.
        SharedSendWindow offers = new SharedSendWindow(Math.max(1, maxInFlight - maxInFlight / 4));
        this.shared = new EngineMessages(pool, counts, new MessageCounters(), new MessageBatch.Pool(),
                new SharedSendWindow.Registry(), offers, new DemandWatch(engine));
    }

    @Override
    public int reservedId() {
        return ReservedMessageIds.MESSAGES;
    }

    @Override
    public @Nullable ProtocolHandler create(ConnectionCore connection) {
        return connection.config().raw() ? null : new MessageProtocol(connection, connection.config().messages(),
                shared, message -> new UcpLargeOffer(connection.registry().worker(), message));
    }

    /** Returns the counters of messages. Thread: any. */
    public MessageCounters counters() {
        return shared.counters();
    }

    /** Returns the counters that all protocols of the engine share. Thread: any. */
    public ProtocolCounters counts() {
        return shared.offerCounters();
    }
}
