package io.reactorucx.internal.connect;

import io.reactorucx.engine.ProgressEngine;
import io.reactorucx.internal.connection.EngineConnections;
import io.reactorucx.internal.message.MessageProtocolFactory;
import io.reactorucx.internal.ucp.ActiveMessageRouter;

/**
 * One engine as connectors and acceptors see it.
 *
 * @param connections its connections
 * @param bindings its connections that are being bound to an endpoint
 * @param messages what its connections share for flow-controlled messages
 * @param activeMessages hands its active messages to connections
 */
public record ConnectingEngine(EngineConnections connections, PendingBindings bindings, MessageProtocolFactory messages,
        ActiveMessageRouter activeMessages) {

    /** The engine itself. */
    public ProgressEngine engine() {
        return connections.engine();
    }
}
