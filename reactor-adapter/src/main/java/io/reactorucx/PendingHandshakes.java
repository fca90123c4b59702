package io.reactorucx;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The handshakes that a server has under way. When there are as many as may be, the oldest of those that have said nothing yet gives way, so
 * that silent sockets cost nobody else; where all speak, no more are accepted until one is through. On the thread of the socket loop.
 */
final class PendingHandshakes {

    private final int limit;
    private final HandshakeCounters counters;
    private final Map<Object, Runnable> silent = new LinkedHashMap<>();
    private int count;
    private @Nullable Runnable whenRoom;

    PendingHandshakes(int limit, HandshakeCounters counters) {
        this.limit = limit;
        this.counters = counters;
    }

    int limit() {
        return limit;
    }

    void whenRoom(Runnable action) {
        whenRoom = action;
    }

    /** Whether one more may begin. */
    boolean hasRoom() {
        if (count >= limit && !silent.isEmpty()) {
            silent.values().iterator().next().run();
        }
        return count < limit;
    }

    /** One begins; it is told to give way if it has to. */
    void began(Object handshake, Runnable giveWay) {
        count++;
        counters.began();
        silent.put(handshake, giveWay);
    }

    /** It has said something that makes sense. */
    void spoke(Object handshake) {
        silent.remove(handshake);
    }

    /** It became a connection, or not; called once. */
    void ended(Object handshake, boolean connected) {
        silent.remove(handshake);
        count--;
        counters.ended(connected);
        if (whenRoom != null && count == limit - 1) {
            whenRoom.run();
        }
    }
}
