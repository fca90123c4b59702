package io.reactorucx.transport.event;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

@Name("io.reactorucx.LargeMessage")
@Label("Large Message")
@Description("A message stayed with its sender until the receiver fetched it: from the offer to the end of the fetch")
@Category({"Reactor UCX", "Messages"})
@StackTrace(false)
final class LargeMessageEvent extends Event {

    static final LargeMessageEvent PROBE = new LargeMessageEvent();

    @Label("Connection")
    @Description("Its id, as in the log")
    @Nullable String connection;

    @Label("Peer")
    @Nullable String peer;

    @Label("Direction")
    @Description("sent or received")
    @Nullable String direction;

    @Label("Size")
    @DataAmount
    long bytes;

    @Label("Success")
    boolean success;

    static Object begun() {
        LargeMessageEvent event = new LargeMessageEvent();
        event.begin();
        return event;
    }

    static void write(Object begun, String connection, String peer, boolean sent, long bytes, boolean success) {
        LargeMessageEvent event = (LargeMessageEvent) begun;
        event.connection = connection;
        event.peer = peer;
        event.direction = sent ? "sent" : "received";
        event.bytes = bytes;
        event.success = success;
        event.commit();
    }
}
