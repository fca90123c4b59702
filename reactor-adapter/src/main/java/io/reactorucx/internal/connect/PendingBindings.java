package io.reactorucx.internal.connect;

import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.internal.connection.EngineConnections;
import io.reactorucx.internal.endpoint.EndpointAllocator;
import io.reactorucx.internal.frame.BindFrame;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The connections of one engine that are being bound to an endpoint, by the token that their peers have to send.
 *
 * <p>Thread: engine.
 */
public final class PendingBindings {

    private final EngineConnections connections;
    /** Two maps, because each side takes other frames. */
    private final Map<Long, EndpointBinding> initiating = new HashMap<>();
    private final Map<Long, EndpointBinding> accepting = new HashMap<>();

    PendingBindings(EngineConnections connections) {
        this.connections = connections;
    }

    /** Returns the allocator of the engine's endpoints. */
    EndpointAllocator endpoints() {
        return connections.endpoints();
    }

    void addInitiating(long token, EndpointBinding binding) {
        remove(token, binding);
        initiating.put(token, binding);
    }

    void addAccepting(long token, EndpointBinding binding) {
        accepting.put(token, binding);
    }

    void remove(long token, EndpointBinding binding) {
        initiating.remove(token, binding);
        accepting.remove(token, binding);
    }

    /** Hands a message on the id of binding to its connection, and drops one that belongs to none. */
    void received(UcpActiveMessage message) {
        boolean fits = !message.isRendezvous() && message.length() <= BindFrame.MAX_BYTES;
        BindFrame frame = fits ? BindFrame.parse(connections.data(message).toArray(ValueLayout.JAVA_BYTE)) : null;
        EndpointBinding binding = frame == null ? null : find(frame);
        if (frame == null) {
            connections.dropGarbage(message);
        } else if (binding == null) {
            connections.dropForeign(message);
        } else {
            binding.received(frame, message);
        }
    }

    private @Nullable EndpointBinding find(BindFrame frame) {
        return switch (frame.type()) {
            case BIND, READY -> accepting.get(frame.token());
            case BOUND -> initiating.get(frame.token());
            case ADDRESS -> null;
        };
    }
}
