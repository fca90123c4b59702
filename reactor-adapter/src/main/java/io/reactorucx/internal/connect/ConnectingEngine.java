package io.reactorucx.internal.connect;

import io.reactorucx.engine.ProgressEngine;
import io.reactorucx.internal.connection.EngineConnections;
import io.reactorucx.internal.mapped.MappedProtocolFactory;
import io.reactorucx.internal.message.MessageProtocolFactory;
import io.reactorucx.internal.ucp.ActiveMessageRouter;
import io.reactorucx.message.MessageStatistics;

/**
 * An engine, with what connectors and acceptors need of it.
 *
 * @param connections its connections
 * @param bindings its connections that are being bound to an endpoint
 * @param messages makes the handlers of flow-controlled messages
 * @param activeMessages routes active messages to connections
 * @param mapped makes the handlers of mapped memory
 */
public record ConnectingEngine(EngineConnections connections, PendingBindings bindings, MessageProtocolFactory messages,
        ActiveMessageRouter activeMessages, MappedProtocolFactory mapped) {

    /** Returns the engine itself. */
    public ProgressEngine engine() {
        return connections.engine();
    }

    /** Returns what the engine counts of flow-controlled messages. */
    public MessageStatistics messageStatistics() {
        return messages.counters().snapshot(connections.counts());
    }
}
