package io.reactorucx;

import io.reactorucx.connection.ConnectionStatistics;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToIntFunction;
import reactor.core.publisher.Mono;

/** Counts for the open servers, pools and reconnecting connections of some resources. Any thread. */
final class ConnectionCounters {

    private final Set<UcxConnectionPool> pools = ConcurrentHashMap.newKeySet();
    private final Set<UcxReconnectingConnection> reconnecting = ConcurrentHashMap.newKeySet();
    private final Set<UcxBoundServer> servers = ConcurrentHashMap.newKeySet();
    private final AtomicLong rejected = new AtomicLong();
    private final AtomicLong reconnects = new AtomicLong();

    ConnectionStatistics snapshot() {
        return new ConnectionStatistics(sum(servers, UcxBoundServer::connections),
                sum(servers, UcxBoundServer::maxConnections), rejected.get(), reconnects.get(),
                sum(reconnecting, UcxReconnectingConnection::pending),
                sum(pools, UcxConnectionPool::acquiredConnections), sum(pools, UcxConnectionPool::idleConnections),
                sum(pools, UcxConnectionPool::pendingAcquires), sum(pools, UcxConnectionPool::maxConnections));
    }

    private static <T> int sum(Collection<T> all, ToIntFunction<T> number) {
        return all.stream().mapToInt(number).sum();
    }

    void rejected() {
        rejected.incrementAndGet();
    }

    void reconnected() {
        reconnects.incrementAndGet();
    }

    /** Adds a server until it is disposed of. */
    void add(UcxBoundServer server) {
        addUntil(servers, server, server.onDispose());
    }

    /** Adds a pool until it is disposed of. */
    void add(UcxConnectionPool pool) {
        addUntil(pools, pool, pool.onDispose());
    }

    /** Adds a reconnecting connection until it is disposed of. */
    void add(UcxReconnectingConnection connection) {
        addUntil(reconnecting, connection, connection.onDispose());
    }

    private static <T> void addUntil(Set<T> all, T each, Mono<Void> disposed) {
        all.add(each);
        disposed.onErrorComplete().doOnTerminate(() -> all.remove(each)).subscribe();
    }

    /** Disposes of all that would make connections again. */
    void dispose() {
        reconnecting.forEach(UcxReconnectingConnection::dispose);
        pools.forEach(UcxConnectionPool::dispose);
    }
}
