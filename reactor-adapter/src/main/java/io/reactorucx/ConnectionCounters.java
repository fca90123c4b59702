package io.reactorucx;

import io.reactorucx.connection.ConnectionStatistics;
import io.reactorucx.core.CloseMode;
import io.reactorucx.internal.concurrent.EndMono;
import io.reactorucx.internal.concurrent.EngineCall;
import io.reactorucx.transport.connect.EngineResources;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Counts for the open servers, pools and reconnecting connections of some resources. Any thread. */
final class ConnectionCounters {

    private static final Logger LOG = LoggerFactory.getLogger(UcxResources.class);

    private final Set<Pool> pools = ConcurrentHashMap.newKeySet();
    private final Set<UcxReconnectingConnection> reconnecting = ConcurrentHashMap.newKeySet();
    private final Set<UcxBoundServer> servers = ConcurrentHashMap.newKeySet();
    private final AtomicLong rejected = new AtomicLong();
    private final AtomicLong reconnects = new AtomicLong();

    ConnectionStatistics snapshot() {
        return new ConnectionStatistics(sum(servers, UcxBoundServer::connections),
                sum(servers, UcxBoundServer::maxConnections),
                (int) servers.stream().mapToLong(server -> server.limit().largestCount()).max().orElse(0),
                (int) servers.stream().mapToLong(server -> server.limit().share()).min().orElse(0),
                rejected.get(), reconnects.get(),
                sum(reconnecting, UcxReconnectingConnection::pending),
                sum(pools, Pool::acquiredConnections), sum(pools, Pool::idleConnections),
                sum(pools, Pool::pendingAcquires), sum(pools, Pool::maxConnections));
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
    void add(Pool pool) {
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

    /**
     * Disposes of all that would make connections again, closes servers, and then what connections the engines have.
     * Errors are logged.
     */
    Mono<Void> close(Collection<UcxBoundServer> bound, EngineResources engines) {
        reconnecting.forEach(UcxReconnectingConnection::dispose);
        pools.forEach(Pool::dispose);
        return Flux.fromIterable(bound).flatMap(UcxBoundServer::close, Integer.MAX_VALUE)
                .thenMany(Flux.fromIterable(engines.connections()))
                .flatMap(each -> EngineCall.retried(each.engine(), worker -> each.connections()).onErrorComplete())
                .flatMapIterable(Function.identity())
                .flatMap(connection -> EndMono.close(connection, CloseMode.FLUSH)
                        .timeout(connection.config().closeTimeout().plusSeconds(1)).onErrorComplete(),
                        Integer.MAX_VALUE)
                .then().onErrorResume(error -> {
                    LOG.warn("Closing the connections failed", error);
                    return Mono.empty();
                });
    }

    /** A pool. Its class needs a library that applications without pools may lack, so it is not loaded here. */
    interface Pool extends Disposable {

        int acquiredConnections();

        int idleConnections();

        int pendingAcquires();

        int maxConnections();

        Mono<Void> onDispose();
    }
}
