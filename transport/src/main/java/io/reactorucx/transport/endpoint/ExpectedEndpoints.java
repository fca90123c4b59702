package io.reactorucx.transport.endpoint;

import io.reactorucx.core.UcpPeerAddress;
import io.reactorucx.engine.ProgressEngine;
import io.reactorucx.transport.command.DelayedAction;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Queue;
import java.util.Set;

/**
 * The endpoints that peers make to this worker, until BIND comes over them. UCX makes one of its own here for each, and
 * over shared memory keeps it, with what it has mapped, when the peer is gone. So the one of a connection that ends
 * without BIND is taken over, and closed. Over tcp UCX ends it with the peer's socket, and not before.
 *
 * <p>Thread: engine.
 */
final class ExpectedEndpoints {

    /** How long what the peer has written before its end may take to be received. */
    private static final Duration ARRIVAL_TIME = Duration.ofSeconds(1);
    private static final Duration INTERVAL = Duration.ofMillis(2);
    private static final int MAX_AT_A_TIME = 4;

    private final ProgressEngine engine;
    private final EndpointAllocator endpoints;
    /** The number of connections of each peer that have ended without BIND, and whose endpoints may have no pair. */
    private final Map<Long, Integer> lostOfPeer = new HashMap<>();
    private final Set<EndpointIndex> announced = new HashSet<>();
    /** In the order of their times. */
    private final Queue<Lost> lost = new ArrayDeque<>();
    private boolean scheduled;

    /** An endpoint that will be taken over. */
    private record Lost(UcpPeerAddress peer, EndpointIndex index, Runnable whenGone, long timeNanos) {
    }

    ExpectedEndpoints(ProgressEngine engine, EndpointAllocator endpoints) {
        this.engine = engine;
        this.endpoints = endpoints;
    }

    /** Returns how many endpoints a peer may have made for connections that have ended, and that have no pair here. */
    int lost(long peer) {
        return lostOfPeer.getOrDefault(peer, 0);
    }

    /** This side has made the pair of an endpoint for which no BIND has come. */
    void paired(long peer) {
        lostOfPeer.computeIfPresent(peer, (worker, count) -> count == 1 ? null : count - 1);
    }

    void announce(EndpointIndex index) {
        announced.add(index);
    }

    void arrived(ExpectedEndpoint endpoint) {
        EndpointIndex index = endpoint.index();
        if (index != null) {
            announced.remove(index);
        }
    }

    void lost(ExpectedEndpoint endpoint, Runnable whenGone) {
        arrived(endpoint);
        lostOfPeer.merge(endpoint.address().worker(), 1, Integer::sum);
        EndpointIndex index = endpoint.index();
        if (index == null || endpoint.address().process().isEmpty()) {
            whenGone.run();
        } else {
            add(new Lost(endpoint.address(), index, whenGone, System.nanoTime() + ARRIVAL_TIME.toNanos()));
        }
    }

    private void add(Lost one) {
        lost.add(one);
        if (!scheduled) {
            scheduled = true;
            DelayedAction.after(engine, ARRIVAL_TIME, this::takeOver);
        }
    }

    /** A few at a time: each costs some calls of UCX and of the system. */
    private void takeOver() {
        scheduled = false;
        Lost first = lost.peek();
        for (int i = 0; i < MAX_AT_A_TIME && first != null && first.timeNanos - System.nanoTime() <= 0; i++) {
            if (endpoints.hasMade(first.index)) {
                lost.remove();
                first.whenGone.run();
            } else if (announced.contains(endpoints.next(first.index.peer()))) {
                // Another connection of the peer waits for the BIND over the one before.
                lost.remove();
                lost.add(new Lost(first.peer, first.index, first.whenGone,
                        System.nanoTime() + ARRIVAL_TIME.toNanos()));
            } else {
                endpoints.takeOver(first.peer);
            }
            first = lost.peek();
        }
        if (first != null) {
            scheduled = true;
            DelayedAction.after(engine, Duration.ofNanos(Math.max(INTERVAL.toNanos(),
                    first.timeNanos - System.nanoTime())), this::takeOver);
        }
    }
}
