package io.reactorucx.transport.event;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

@Name("io.reactorucx.ConnectionLost")
@Label("Connection Lost")
@Description("The peer of a connection is gone, or is silent")
@Category({"Reactor UCX", "Connections"})
@StackTrace(false)
final class ConnectionLostEvent extends Event {

    static final ConnectionLostEvent PROBE = new ConnectionLostEvent();

    @Label("Connection")
    @Description("Its id, as in the log")
    @Nullable String connection;

    @Label("Peer")
    @Nullable String peer;

    @Label("Cause")
    @Description("transport or heartbeat, as in the meters")
    @Nullable String cause;

    @Label("Reason")
    @Nullable String reason;

    static void write(String connection, String peer, String cause, String reason) {
        ConnectionLostEvent event = new ConnectionLostEvent();
        event.connection = connection;
        event.peer = peer;
        event.cause = cause;
        event.reason = reason;
        event.commit();
    }
}
