package io.reactorucx.internal.ucp;

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
    /** The one that was found last: most messages have the id of the one before. */
    private @Nullable ActiveMessageReceiver last;

    /** Returns whether the id was free. */
    public boolean add(ActiveMessageReceiver receiver) {
        return byId.putIfAbsent(receiver.id(), receiver) == null;
    }

    void remove(ActiveMessageReceiver receiver) {
        byId.remove(receiver.id(), receiver);
        last = null;
    }

    public boolean isEmpty() {
        return byId.isEmpty();
    }

    /** Returns the receiver of an id, or null when it has none. */
    @Nullable ActiveMessageReceiver of(int id) {
        ActiveMessageReceiver found = last;
        if (found == null || found.id() != id) {
            found = byId.get(id);
            last = found;
        }
        return found;
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
