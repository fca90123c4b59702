package io.reactorucx.transport.event;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

@Name("io.reactorucx.PeerRefused")
@Label("Peer Refused")
@Description("A peer was refused in the handshake")
@Category({"Reactor UCX", "Connections"})
@StackTrace(false)
final class PeerRefusedEvent extends Event {

    static final PeerRefusedEvent PROBE = new PeerRefusedEvent();

    @Label("Peer")
    @Nullable String peer;

    @Label("Reason")
    @Description("As in the meters")
    @Nullable String reason;

    @Label("Detail")
    @Nullable String detail;

    static void write(String peer, String reason, String detail) {
        PeerRefusedEvent event = new PeerRefusedEvent();
        event.peer = peer;
        event.reason = reason;
        event.detail = detail;
        event.commit();
    }
}
