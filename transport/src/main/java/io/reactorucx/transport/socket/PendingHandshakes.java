package io.reactorucx.transport.socket;

import io.reactorucx.transport.handshake.FairLimit;
import io.reactorucx.transport.handshake.HandshakeCounters;
import io.reactorucx.transport.handshake.PeerOrigin;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Limits the handshakes of a server that are in progress. At the limit a new socket evicts the oldest one that is not
 * authenticated, so that such sockets cannot keep others out. Of those that are authenticated and admitted as many may
 * make their connections at once, half of them of one client; the others wait, and count among the server's
 * connections meanwhile. So a client that stops while it connects keeps out nobody else.
 *
 * <p>Thread: socket loop.
 */
public final class PendingHandshakes {

    private final int limit;
    private final HandshakeCounters counters;
    private final FairLimit connecting;
    private final Map<Object, Runnable> unauthenticated = new LinkedHashMap<>();
    private final Map<Object, Waiting> waiting = new LinkedHashMap<>();
    private final Map<Object, PeerOrigin> started = new HashMap<>();

    private record Waiting(PeerOrigin client, Runnable connect) {
    }

    public PendingHandshakes(int limit, HandshakeCounters counters) {
        this.limit = limit;
        this.counters = counters;
        this.connecting = new FairLimit(limit);
    }

    int limit() {
        return limit;
    }

    /** Evicts the oldest unauthenticated handshake when the limit is reached. */
    void evictIfFull() {
        if (unauthenticated.size() >= limit) {
            unauthenticated.values().iterator().next().run();
        }
    }

    /** Adds a handshake; {@code evict} ends it to make room for another one. */
    public void add(Object handshake, Runnable evict) {
        counters.started();
        unauthenticated.put(handshake, evict);
    }

    /**
     * Protects a handshake from eviction: its client is authenticated and admitted. The action makes the connection,
     * now or when others of the client have ended.
     */
    public void admitted(Object handshake, PeerOrigin client, Runnable connect) {
        unauthenticated.remove(handshake);
        if (!start(handshake, client, connect)) {
            waiting.put(handshake, new Waiting(client, connect));
        }
    }

    private boolean start(Object handshake, PeerOrigin client, Runnable connect) {
        if (connecting.tryAcquire(client) != FairLimit.Outcome.ACQUIRED) {
            return false;
        }
        started.put(handshake, client);
        connect.run();
        return true;
    }

    /** Removes a handshake that has ended; called once. */
    public void remove(Object handshake, boolean connected) {
        unauthenticated.remove(handshake);
        waiting.remove(handshake);
        counters.ended(connected);
        PeerOrigin client = started.remove(handshake);
        if (client != null) {
            connecting.release(client);
            startNext();
        }
    }

    private void startNext() {
        for (Map.Entry<Object, Waiting> each : waiting.entrySet()) {
            Waiting next = each.getValue();
            if (connecting.tryAcquire(next.client) == FairLimit.Outcome.ACQUIRED) {
                waiting.remove(each.getKey());
                started.put(each.getKey(), next.client);
                next.connect.run();
                return;
            }
        }
    }
}
