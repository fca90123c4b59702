package io.reactorucx;

import io.reactorucx.connection.ConnectionStatistics;
import io.reactorucx.core.CloseMode;
import io.reactorucx.internal.concurrent.EndMono;
import io.reactorucx.internal.concurrent.EngineCall;
import io.reactorucx.transport.connect.EndpointAcceptor;
import io.reactorucx.transport.connect.EngineResources;
import io.reactorucx.transport.handshake.FairLimit;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.ToIntFunction;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Counts for the open servers, pools and reconnecting connections of some resources. Any thread. */
final class ConnectionCounters {

    private final Set<Pool> pools = ConcurrentHashMap.newKeySet();
    private final Set<Reconnecting> reconnecting = ConcurrentHashMap.newKeySet();
    private final Set<Server> servers = ConcurrentHashMap.newKeySet();
    private final AtomicLong rejected = new AtomicLong();
    private final AtomicLong reconnects = new AtomicLong();

    ConnectionStatistics snapshot() {
        return new ConnectionStatistics(sum(servers, server -> server.acceptor().connections()),
                sum(servers, server -> (int) server.limit().limit()),
                (int) servers.stream().mapToLong(server -> server.limit().largestCount()).max().orElse(0),
                (int) servers.stream().mapToLong(server -> server.limit().share()).min().orElse(0),
                rejected.get(), reconnects.get(),
                sum(reconnecting, each -> each.pending().getAsInt()),
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

    /** Adds a server, by what accepts its connections and by how it closes, until it is disposed of. */
    void addServer(EndpointAcceptor acceptor, Mono<Void> close, Mono<Void> disposed) {
        addUntil(servers, new Server(acceptor, close), disposed);
    }

    /** Adds a pool until it is disposed of. */
    void addPool(Pool pool) {
        addUntil(pools, pool, pool.onDispose());
    }

    /** Adds a reconnecting connection, with the number of its waiting subscribers, until it is disposed of. */
    void addReconnecting(Disposable connection, IntSupplier pending, Mono<Void> disposed) {
        addUntil(reconnecting, new Reconnecting(connection, pending), disposed);
    }

    private static <T> void addUntil(Set<T> all, T each, Mono<Void> disposed) {
        all.add(each);
        disposed.onErrorComplete().doOnTerminate(() -> all.remove(each)).subscribe();
    }

    /**
     * Disposes of all that would make connections again, closes servers, and then what connections the engines have.
     */
    Mono<Void> close(EngineResources engines) {
        reconnecting.forEach(each -> each.connection().dispose());
        pools.forEach(Pool::dispose);
        return Flux.fromIterable(servers).flatMap(Server::close, Integer.MAX_VALUE)
                .thenMany(Flux.fromIterable(engines.connections()))
                .flatMap(each -> EngineCall.retried(each.engine(), worker -> each.connections()).onErrorComplete())
                .flatMapIterable(Function.identity())
                .flatMap(connection -> EndMono.close(connection, CloseMode.FLUSH)
                        .timeout(connection.config().closeTimeout().plusSeconds(1)).onErrorComplete(),
                        Integer.MAX_VALUE)
                .then();
    }

    private record Server(EndpointAcceptor acceptor, Mono<Void> close) {

        FairLimit limit() {
            return acceptor.handlers().limit();
        }
    }

    private record Reconnecting(Disposable connection, IntSupplier pending) {
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
