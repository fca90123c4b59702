package io.reactorucx;

import io.reactorucx.core.UcpActiveMessage;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The connections of one engine that are getting their endpoints, by their token. On the engine's thread. */
final class PairingTable {

    private final EndpointPairs pairs;
    /** Two maps: a connection of a worker to itself stands in both. */
    private final Map<Long, Pairing> beginning = new HashMap<>();
    private final Map<Long, Pairing> expected = new HashMap<>();

    PairingTable(EndpointPairs pairs) {
        this.pairs = pairs;
    }

    EndpointPairs pairs() {
        return pairs;
    }

    void begin(long token, Pairing pairing) {
        forget(token, pairing);
        beginning.put(token, pairing);
    }

    void expect(long token, Pairing pairing) {
        expected.put(token, pairing);
    }

    void forget(long token, Pairing pairing) {
        beginning.remove(token, pairing);
        expected.remove(token, pairing);
    }

    /** Answers whether the message was one of a connection that is being made. */
    boolean received(byte[] bytes, UcpActiveMessage message) {
        PairingFrame frame = PairingFrame.parse(bytes);
        Pairing pairing = frame == null ? null : find(frame);
        if (frame == null || pairing == null) {
            return false;
        }
        pairing.received(frame, message);
        return true;
    }

    private @Nullable Pairing find(PairingFrame frame) {
        return switch (frame.type()) {
            case BIND, READY -> expected.get(frame.token());
            case BOUND -> beginning.get(frame.token());
            case ADDRESS -> null;
        };
    }
}
