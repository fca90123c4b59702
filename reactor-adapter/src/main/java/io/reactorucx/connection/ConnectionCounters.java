package io.reactorucx.connection;

import io.reactorucx.UcxBoundServer;
import io.reactorucx.UcxConnectionPool;
import io.reactorucx.UcxReconnectingConnection;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToIntFunction;
import reactor.core.publisher.Mono;

/**
 * What servers, pools and reconnecting connections of some resources have done and hold.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> none. <b>Errors:</b> none.
 */
public final class ConnectionCounters {

    private final Set<UcxConnectionPool> pools = ConcurrentHashMap.newKeySet();
    private final Set<UcxReconnectingConnection> reconnecting = ConcurrentHashMap.newKeySet();
    private final Set<UcxBoundServer> servers = ConcurrentHashMap.newKeySet();
    private final AtomicLong rejected = new AtomicLong();
    private final AtomicLong reconnects = new AtomicLong();

    public ConnectionCounters() {
    }

    /** {@return clients that a server rejected because it had enough, or was stopping} */
    public long rejectedConnections() {
        return rejected.get();
    }

    /** {@return most connections that the servers take} */
    public int maxServerConnections() {
        return sum(servers, UcxBoundServer::maxConnections);
    }

    /** {@return lost connections that were made anew} */
    public long reconnects() {
        return reconnects.get();
    }

    /** {@return who waits for a connection to be made anew} */
    public int pendingReconnects() {
        return sum(reconnecting, UcxReconnectingConnection::pending);
    }

    /** {@return connections that pools have lent} */
    public int acquiredConnections() {
        return sum(pools, UcxConnectionPool::acquiredConnections);
    }

    /** {@return connections that wait in pools} */
    public int idleConnections() {
        return sum(pools, UcxConnectionPool::idleConnections);
    }

    /** {@return who waits for a connection of a pool} */
    public int pendingAcquires() {
        return sum(pools, UcxConnectionPool::pendingAcquires);
    }

    /** {@return most connections that the pools may have} */
    public int maxPooledConnections() {
        return sum(pools, UcxConnectionPool::maxConnections);
    }

    private static <T> int sum(Collection<T> all, ToIntFunction<T> number) {
        return all.stream().mapToInt(number).sum();
    }

    public void rejected() {
        rejected.incrementAndGet();
    }

    public void reconnected() {
        reconnects.incrementAndGet();
    }

    /** Counts it until it is gone. */
    public void add(UcxBoundServer server) {
        addUntil(servers, server, server.onDispose());
    }

    public void add(UcxConnectionPool pool) {
        addUntil(pools, pool, pool.onDispose());
    }

    public void add(UcxReconnectingConnection connection) {
        addUntil(reconnecting, connection, connection.onDispose());
    }

    private static <T> void addUntil(Set<T> all, T one, Mono<Void> gone) {
        all.add(one);
        gone.subscribe(ignored -> { }, error -> { }, () -> all.remove(one));
    }

    /** Ends what would make connections anew. */
    public void dispose() {
        reconnecting.forEach(UcxReconnectingConnection::dispose);
        pools.forEach(UcxConnectionPool::dispose);
    }
}
