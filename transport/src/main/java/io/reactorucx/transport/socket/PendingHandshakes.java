package io.reactorucx.transport.socket;

import io.reactorucx.transport.handshake.FairLimit;
import io.reactorucx.transport.handshake.HandshakeCounters;
import io.reactorucx.transport.handshake.PeerOrigin;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.function.Consumer;

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
    private final Map<Object, Address> unauthenticated = new HashMap<>();
    private final Map<PeerOrigin, Address> addresses = new HashMap<>();
    /** Sorted, so that a flood from many addresses does not make each accept slow where the limit is large. */
    private final NavigableSet<Address> mostFirst = new TreeSet<>(Comparator.comparingInt(Address::count).reversed()
            .thenComparingLong(address -> address.oldest().number));
    private long added;
    private final Map<Object, Waiting> waiting = new LinkedHashMap<>();
    private final Map<Object, PeerOrigin> started = new HashMap<>();

    private record Unauthenticated(long number, Runnable evict) {
    }

    /** The unauthenticated handshakes of an address, the oldest first. */
    private static final class Address {

        private final PeerOrigin client;
        private final Map<Object, Unauthenticated> handshakes = new LinkedHashMap<>();

        Address(PeerOrigin client) {
            this.client = client;
        }

        int count() {
            return handshakes.size();
        }

        Unauthenticated oldest() {
            return handshakes.values().iterator().next();
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
            victimFor(client).evict.run();
        }
        counters.started();
        Address address = addresses.computeIfAbsent(client, Address::new);
        change(address, handshakes -> handshakes.put(handshake, new Unauthenticated(added++, evict)));
        unauthenticated.put(handshake, address);
    }

    private Unauthenticated victimFor(PeerOrigin client) {
        Address most = mostFirst.first();
        Address own = addresses.get(client);
        if (own == null) {
            return most.oldest();
        }
        int missing = most.count() - (own.count() + 1);
        boolean isOwn = missing < 0 || missing == 0 && own.oldest().number < most.oldest().number;
        return (isOwn ? own : most).oldest();
    }

    private void removeUnauthenticated(Object handshake) {
        Address address = unauthenticated.remove(handshake);
        if (address != null) {
            change(address, handshakes -> handshakes.remove(handshake));
        }
    }

    /** Changes the handshakes of an address, which gets another place by that. */
    private void change(Address address, Consumer<Map<Object, Unauthenticated>> change) {
        if (address.count() > 0) {
            mostFirst.remove(address);
        }
        change.accept(address.handshakes);
        if (address.count() > 0) {
            mostFirst.add(address);
        } else {
            addresses.remove(address.client);
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
