package io.reactorucx.transport.event;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

@Name("io.reactorucx.Leak")
@Label("Leak")
@Description("A lease or an offered message was dropped without a release, and was taken back")
@Category({"Reactor UCX", "Memory"})
@StackTrace(false)
final class LeakEvent extends Event {

    static final LeakEvent PROBE = new LeakEvent();

    @Label("Kind")
    @Description("lease or message")
    @Nullable String kind;

    @Label("Peer")
    @Description("Sender of a message")
    @Nullable String peer;

    @Label("Size")
    @DataAmount
    long bytes;

    static void write(String kind, @Nullable String peer, long bytes) {
        LeakEvent event = new LeakEvent();
        event.kind = kind;
        event.peer = peer;
        event.bytes = bytes;
        event.commit();
    }
}
