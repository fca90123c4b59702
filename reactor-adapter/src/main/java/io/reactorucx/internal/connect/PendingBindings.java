package io.reactorucx.internal.connect;

import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.internal.endpoint.EndpointAllocator;
import io.reactorucx.internal.frame.BindFrame;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The connections of one engine that are getting their endpoints, by their token. On the engine's thread. */
public final class PendingBindings {

    private final EndpointAllocator pairs;
    /** Two maps: a connection of a worker to itself stands in both. */
    private final Map<Long, EndpointBinding> beginning = new HashMap<>();
    private final Map<Long, EndpointBinding> expected = new HashMap<>();

    public PendingBindings(EndpointAllocator pairs) {
        this.pairs = pairs;
    }

    EndpointAllocator pairs() {
        return pairs;
    }

    void begin(long token, EndpointBinding pairing) {
        forget(token, pairing);
        beginning.put(token, pairing);
    }

    void expect(long token, EndpointBinding pairing) {
        expected.put(token, pairing);
    }

    void forget(long token, EndpointBinding pairing) {
        beginning.remove(token, pairing);
        expected.remove(token, pairing);
    }

    /** Answers whether the message was one of a connection that is being made. */
    public boolean received(byte[] bytes, UcpActiveMessage message) {
        BindFrame frame = BindFrame.parse(bytes);
        EndpointBinding pairing = frame == null ? null : find(frame);
        if (frame == null || pairing == null) {
            return false;
        }
        pairing.received(frame, message);
        return true;
    }

    private @Nullable EndpointBinding find(BindFrame frame) {
        return switch (frame.type()) {
            case BIND, READY -> expected.get(frame.token());
            case BOUND -> beginning.get(frame.token());
            case ADDRESS -> null;
        };
    }
}
