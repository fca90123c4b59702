package io.reactorucx.transport.event;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

@Name("io.reactorucx.ConnectionClosed")
@Label("Connection Closed")
@Description("A connection has ended")
@Category({"Reactor UCX", "Connections"})
@StackTrace(false)
final class ConnectionClosedEvent extends Event {

    static final ConnectionClosedEvent PROBE = new ConnectionClosedEvent();

    @Label("Connection")
    @Description("Its id, as in the log")
    @Nullable String connection;

    @Label("Peer")
    @Nullable String peer;

    @Label("Engine")
    @Nullable String engine;

    @Label("Lost")
    @Description("Whether the peer was lost")
    boolean lost;

    @Label("Open")
    @Description("Time since the connection was made")
    @Timespan
    long open;

    static void write(String connection, String peer, String engine, boolean lost, long nanos) {
        ConnectionClosedEvent event = new ConnectionClosedEvent();
        event.connection = connection;
        event.peer = peer;
        event.engine = engine;
        event.lost = lost;
        event.open = nanos;
        event.commit();
    }
}
