package io.reactorucx.transport.socket;

import io.reactorucx.transport.handshake.FairLimit;
import io.reactorucx.transport.handshake.HandshakeCounters;
import io.reactorucx.transport.handshake.PeerOrigin;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Limits the handshakes of a server that are in progress. At the limit a new socket evicts one that is not
 * authenticated, so that such sockets cannot keep others out: the oldest one of the address that has the most of them,
 * the new one included, and among equals the oldest of all. So who opens many of them evicts its own. Of those that are
 * authenticated and admitted as many may make their connections at once, half of them of one client; the others wait,
 * and count among the server's connections meanwhile. So a client that stops while it connects keeps out nobody else.
 *
 * <p>Thread: socket loop.
 */
public final class PendingHandshakes {

    private final int limit;
    private final HandshakeCounters counters;
    private final FairLimit connecting;
    private final Map<Object, Unauthenticated> unauthenticated = new LinkedHashMap<>();
    private final Map<PeerOrigin, Address> addresses = new HashMap<>();
    private final Map<Object, Waiting> waiting = new LinkedHashMap<>();
    private final Map<Object, PeerOrigin> started = new HashMap<>();

    private record Unauthenticated(Address address, Runnable evict) {
    }

    /** An address with unauthenticated handshakes, and how many these are. */
    private static final class Address {

        private final PeerOrigin client;
        private int count;

        Address(PeerOrigin client) {
            this.client = client;
        }
    }

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

    /**
     * Adds a handshake, for which another one is evicted when the limit is reached.
     *
     * @param client the address of the socket: more is not known yet
     * @param evict ends the handshake to make room for another one
     */
    public void add(Object handshake, PeerOrigin client, Runnable evict) {
        if (unauthenticated.size() >= limit) {
            evictFor(client);
        }
        counters.started();
        Address address = addresses.computeIfAbsent(client, Address::new);
        address.count++;
        unauthenticated.put(handshake, new Unauthenticated(address, evict));
    }

    private void evictFor(PeerOrigin client) {
        Address newcomer = addresses.get(client);
        @Nullable Unauthenticated victim = null;
        int most = 0;
        for (Unauthenticated each : unauthenticated.values()) {
            int count = each.address.count + (each.address == newcomer ? 1 : 0);
            if (count > most) {
                most = count;
                victim = each;
            }
        }
        if (victim != null) {
            victim.evict.run();
        }
    }

    private void removeUnauthenticated(Object handshake) {
        Unauthenticated removed = unauthenticated.remove(handshake);
        if (removed != null && --removed.address.count == 0) {
            addresses.remove(removed.address.client);
        }
    }

    /**
     * Protects a handshake from eviction: its client is authenticated and admitted. The action makes the connection,
     * now or when others of the client have ended.
     */
    public void admitted(Object handshake, PeerOrigin client, Runnable connect) {
        removeUnauthenticated(handshake);
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
        removeUnauthenticated(handshake);
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
