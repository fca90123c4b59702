package io.reactorucx.internal.ucp;

import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.transport.DropReason;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The receivers of a connection's active messages, one for each id.
 *
 * <p>Thread: engine.
 */
public final class ActiveMessageReceivers {

    private final Map<Integer, ActiveMessageReceiver> byId = new HashMap<>();

    /** Returns whether the id was free. */
    public boolean add(ActiveMessageReceiver receiver) {
        return byId.putIfAbsent(receiver.id(), receiver) == null;
    }

    void remove(ActiveMessageReceiver receiver) {
        byId.remove(receiver.id(), receiver);
    }

    public boolean isEmpty() {
        return byId.isEmpty();
    }

    public boolean has(int id) {
        return byId.containsKey(id);
    }

    /** Offers a message to the receiver of its id. Returns why it was dropped, or null when it was taken. */
    public @Nullable DropReason offer(UcpActiveMessage message, int id) {
        ActiveMessageReceiver receiver = byId.get(id);
        return receiver == null ? DropReason.NO_RECEIVER : receiver.offer(message);
    }

    /** No more messages will come: what waits is delivered, then the subscribers hear of the end. */
    public void end(@Nullable RuntimeException cause) {
        List.copyOf(byId.values()).forEach(receiver -> receiver.end(cause));
    }

    /** The engine is gone: what waits is dropped, and the subscribers hear of the end at once. */
    public void abandon(RuntimeException cause) {
        List.copyOf(byId.values()).forEach(receiver -> receiver.abandon(cause));
    }
}
