package io.reactorucx.internal.socket;

import io.reactorucx.internal.handshake.HandshakeCounters;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Limits the handshakes of a server that are in progress. At the limit a new socket evicts the oldest one that is not
 * authenticated, so that such sockets cannot keep others out; when all are authenticated, no socket is accepted until
 * one handshake has ended.
 *
 * <p>Thread: socket loop.
 */
public final class PendingHandshakes {

    private final int limit;
    private final HandshakeCounters counters;
    private final Map<Object, Runnable> unauthenticated = new LinkedHashMap<>();
    private int count;
    private @Nullable Runnable onCapacity;

    public PendingHandshakes(int limit, HandshakeCounters counters) {
        this.limit = limit;
        this.counters = counters;
    }

    int limit() {
        return limit;
    }

    void onCapacity(Runnable action) {
        onCapacity = action;
    }

    /** Returns whether one more handshake may start, if necessary in place of another one. */
    boolean hasCapacity() {
        return count < limit || !unauthenticated.isEmpty();
    }

    /** Evicts the oldest unauthenticated handshake when the limit is reached. */
    void evictIfFull() {
        if (count >= limit && !unauthenticated.isEmpty()) {
            unauthenticated.values().iterator().next().run();
        }
    }

    /** Adds a handshake; {@code evict} ends it to make room for another one. */
    public void add(Object handshake, Runnable evict) {
        count++;
        counters.started();
        unauthenticated.put(handshake, evict);
    }

    /** Protects a handshake from eviction: its peer is authenticated. */
    public void authenticated(Object handshake) {
        unauthenticated.remove(handshake);
    }

    /** Removes a handshake that has ended; called once. */
    public void remove(Object handshake, boolean connected) {
        unauthenticated.remove(handshake);
        count--;
        counters.ended(connected);
        if (onCapacity != null && count == limit - 1) {
            onCapacity.run();
        }
    }
}
