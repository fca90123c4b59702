package io.reactorucx.transport.connect;

import io.reactorucx.engine.ProgressEngine;
import io.reactorucx.transport.connection.EngineConnections;
import io.reactorucx.transport.connection.ProtocolFactory;
import java.util.List;

/**
 * An engine, with what connectors and acceptors need of it.
 *
 * @param engine itself
 * @param connections its connections
 * @param bindings its connections that are being bound to an endpoint
 * @param protocols what its connections speak
 */
public record ConnectingEngine(ProgressEngine engine, EngineConnections connections, PendingBindings bindings,
        List<ProtocolFactory> protocols) {

    /** Returns the protocol of a type, which the engine has. */
    public <T extends ProtocolFactory> T protocol(Class<T> type) {
        return protocols.stream().filter(type::isInstance).map(type::cast).findFirst().orElseThrow();
    }
}
