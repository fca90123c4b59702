package io.reactorucx.internal.socket;

import io.reactorucx.internal.handshake.HandshakeCounters;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The handshakes that a server has under way. When there are as many as may be, the oldest of those that have not
 * proved who they are gives way, so that unproven sockets cost nobody else; otherwise no more are accepted until one is
 * through. On the thread of the socket loop.
 */
public final class PendingHandshakes {

    private final int limit;
    private final HandshakeCounters counters;
    private final Map<Object, Runnable> unproven = new LinkedHashMap<>();
    private int count;
    private @Nullable Runnable whenRoom;

    public PendingHandshakes(int limit, HandshakeCounters counters) {
        this.limit = limit;
        this.counters = counters;
    }

    int limit() {
        return limit;
    }

    void whenRoom(Runnable action) {
        whenRoom = action;
    }

    /** Whether one more may begin, if need be instead of another one. */
    boolean mayBegin() {
        return count < limit || !unproven.isEmpty();
    }

    /** Ends the oldest unproven one if there are as many as may be: another one is here. */
    void makeRoom() {
        if (count >= limit && !unproven.isEmpty()) {
            unproven.values().iterator().next().run();
        }
    }

    /** One begins; it is told to give way if it has to. */
    public void began(Object handshake, Runnable giveWay) {
        count++;
        counters.began();
        unproven.put(handshake, giveWay);
    }

    /** It has done what the handshake asks for. */
    public void proved(Object handshake) {
        unproven.remove(handshake);
    }

    /** It became a connection, or not; called once. */
    public void ended(Object handshake, boolean connected) {
        unproven.remove(handshake);
        count--;
        counters.ended(connected);
        if (whenRoom != null && count == limit - 1) {
            whenRoom.run();
        }
    }
}
