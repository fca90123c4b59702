package io.reactorucx.transport.event;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

@Name("io.reactorucx.ConnectionOpened")
@Label("Connection Opened")
@Description("A connection was established")
@Category({"Reactor UCX", "Connections"})
@StackTrace(false)
final class ConnectionOpenedEvent extends Event {

    static final ConnectionOpenedEvent PROBE = new ConnectionOpenedEvent();

    @Label("Connection")
    @Description("Its id, as in the log")
    @Nullable String connection;

    @Label("Peer")
    @Nullable String peer;

    @Label("Engine")
    @Nullable String engine;

    @Label("Connecting")
    @Description("Time from the beginning to the end of the handshake")
    @Timespan
    long connecting;

    static void write(String connection, String peer, String engine, long nanos) {
        ConnectionOpenedEvent event = new ConnectionOpenedEvent();
        event.connection = connection;
        event.peer = peer;
        event.engine = engine;
        event.connecting = nanos;
        event.commit();
    }
}
