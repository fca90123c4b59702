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
 * The connections of one engine that are being bound to an endpoint, by their token.
 *
 * <p>Thread: engine.
 */
public final class PendingBindings {

    private final EngineConnections connections;
    /** Two maps: a connection of a worker to itself stands in both. */
    private final Map<Long, EndpointBinding> beginning = new HashMap<>();
    private final Map<Long, EndpointBinding> expected = new HashMap<>();

    PendingBindings(EngineConnections connections) {
        this.connections = connections;
    }

    /** The endpoints to bind. */
    EndpointAllocator endpoints() {
        return connections.endpoints();
    }

    void begin(long token, EndpointBinding binding) {
        forget(token, binding);
        beginning.put(token, binding);
    }

    void expect(long token, EndpointBinding binding) {
        expected.put(token, binding);
    }

    void forget(long token, EndpointBinding binding) {
        beginning.remove(token, binding);
        expected.remove(token, binding);
    }

    /** A message has come on the id of binding; dropped where it belongs to no connection that is being made. */
    void received(UcpActiveMessage message) {
        boolean fits = !message.isRendezvous() && message.length() <= BindFrame.MAX_BYTES;
        BindFrame frame = fits ? BindFrame.parse(connections.data(message).toArray(ValueLayout.JAVA_BYTE)) : null;
        EndpointBinding binding = frame == null ? null : find(frame);
        if (frame == null || binding == null) {
            connections.dropGarbage(message);
        } else {
            binding.received(frame, message);
        }
    }

    private @Nullable EndpointBinding find(BindFrame frame) {
        return switch (frame.type()) {
            case BIND, READY -> expected.get(frame.token());
            case BOUND -> beginning.get(frame.token());
            case ADDRESS -> null;
        };
    }
}
