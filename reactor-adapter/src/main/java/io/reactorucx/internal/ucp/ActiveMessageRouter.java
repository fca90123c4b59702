package io.reactorucx.internal.ucp;

import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.internal.counter.ProtocolCounters;
import io.reactorucx.transport.DropReason;
import io.reactorucx.transport.buffer.LeakReporter;
import io.reactorucx.transport.connection.ConnectionCore;
import io.reactorucx.transport.connection.EngineConnections;
import io.reactorucx.transport.connection.ProtocolFactory;
import io.reactorucx.transport.connection.ProtocolHandler;
import io.reactorucx.transport.frame.ReservedMessageIds;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the connection of each active message of the application that comes to an engine. Those of framework peers all
 * have one reserved id, and their own id in the header. Those of raw peers have plain ids: the reply endpoint tells the
 * connection; a message without one goes to the raw connection that receives its id; where several do, its sender
 * cannot be known, and it is dropped and counted.
 *
 * <p>Thread: engine.
 */
public final class ActiveMessageRouter implements ProtocolFactory {

    private final EngineConnections connections;
    private final LeakReporter leaks;
    private final ProtocolCounters counts;
    private final Set<Integer> routed = new HashSet<>();

    public ActiveMessageRouter(EngineConnections connections, LeakReporter leaks, ProtocolCounters counts) {
        this.connections = connections;
        this.leaks = leaks;
        this.counts = counts;
    }

    @Override
    public int reservedId() {
        return ReservedMessageIds.APPLICATION;
    }

    @Override
    public ProtocolHandler create(ConnectionCore connection) {
        return new ActiveMessageProtocol(connection, counts, leaks, this::receive);
    }

    /**
     * Makes UCX deliver an id of raw peers. It stays so, since UCX writes an error for each message without a handler.
     */
    public void receive(int id) {
        if (routed.add(id)) {
            connections.route(id, this::dispatch);
        }
    }

    private void dispatch(UcpActiveMessage message) {
        ConnectionCore named = connections.connectionOf(message);
        if (named != null && !named.config().raw()) {
            connections.dropForeign(message);
            return;
        }
        ActiveMessageProtocol receiver = named != null ? named.protocol(ActiveMessageProtocol.class)
                : message.replyEndpoint() == null ? onlyReceiver(message.id()) : null;
        DropReason refusal = receiver == null ? DropReason.NO_RECEIVER : receiver.offer(message, message.id());
        if (refusal != null) {
            connections.drop(message, refusal);
        }
    }

    private @Nullable ActiveMessageProtocol onlyReceiver(int id) {
        ActiveMessageProtocol only = null;
        for (ConnectionCore connection : connections.connections()) {
            ActiveMessageProtocol each = connection.protocol(ActiveMessageProtocol.class);
            if (connection.config().raw() && each != null && each.receives(id)) {
                if (only != null) {
                    return null;
                }
                only = each;
            }
        }
        return only;
    }
}
