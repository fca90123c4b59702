package io.reactorucx.internal.message;

import io.reactorucx.buffer.UcxBufferPool;
import io.reactorucx.internal.connection.ConnectionCore;
import io.reactorucx.internal.connection.ProtocolFactory;
import io.reactorucx.internal.connection.ProtocolHandler;
import io.reactorucx.internal.frame.ReservedMessageIds;
import org.jspecify.annotations.Nullable;

/**
 * Makes the protocol of flow-controlled messages for the connections of one engine, which share batches and, over
 * shared memory, the window of what may be in flight to one peer.
 */
public final class MessageProtocolFactory implements ProtocolFactory {

    private final UcxBufferPool pool;
    private final MessageCounters counters = new MessageCounters();
    private final MessageBatch.Pool batches = new MessageBatch.Pool();
    private final SharedSendWindow.Registry windows = new SharedSendWindow.Registry();
    private final DemandWatch demandWatch = new DemandWatch();

    public MessageProtocolFactory(UcxBufferPool pool) {
        this.pool = pool;
    }

    @Override
    public int reservedId() {
        return ReservedMessageIds.MESSAGES;
    }

    @Override
    public @Nullable ProtocolHandler create(ConnectionCore connection) {
        return connection.config().raw() ? null : new MessageMultiplexer(connection, this);
    }

    UcxBufferPool pool() {
        return pool;
    }

    /** What became of messages. Thread: any. */
    public MessageCounters counters() {
        return counters;
    }

    MessageBatch.Pool batches() {
        return batches;
    }

    SharedSendWindow.Registry windows() {
        return windows;
    }

    DemandWatch demandWatch() {
        return demandWatch;
    }
}
