package io.reactorucx.transport.connection;

import io.reactorucx.engine.CommandExecutor;
import io.reactorucx.transport.frame.ControlFrame;
import io.reactorucx.transport.handshake.ResourceLimits;
import java.util.List;

/** The connections of an engine without UCX, to whose connections a simulated carrier hands what has arrived. */
public final class SimulatedConnections {

    private final EngineConnections connections;

    /** Creates the connections of an engine, which speak some protocols. */
    public SimulatedConnections(CommandExecutor engine, ResourceLimits limits, List<ProtocolFactory> protocols) {
        connections = new EngineConnections(engine, null, limits, Integer.MAX_VALUE);
        connections.protocols(protocols);
    }

    public EngineConnections connections() {
        return connections;
    }

    /** A message has arrived. Returns whether a protocol gets it. */
    public static boolean messageArrived(ConnectionCore connection) {
        connection.messageReceived();
        return connection.phase().carriesMessages();
    }

    /** A control frame has arrived. */
    public static void controlArrived(ConnectionCore connection, ControlFrame frame) {
        connection.messageReceived();
        connection.received(frame);
    }
}
