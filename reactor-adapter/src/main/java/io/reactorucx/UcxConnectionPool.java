package io.reactorucx;

import io.reactorucx.connection.ConnectionState;
import io.reactorucx.core.CloseMode;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.internal.concurrent.ContainedPublisher;
import io.reactorucx.internal.concurrent.UncancelledMono;
import io.reactorucx.transport.config.ConnectionPoolConfig;
import java.time.Clock;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.pool.InstrumentedPool;
import reactor.pool.PoolAcquirePendingLimitException;
import reactor.pool.PoolAcquireTimeoutException;
import reactor.pool.PoolBuilder;
import reactor.pool.PoolConfig;
import reactor.pool.PoolShutdownException;

/**
 * A pool of connections to one peer. It makes connections on demand, lends each to one user at a time, and keeps idle
 * ones. Users that can share a connection need no pool: a connection carries many operations at a time.
 *
 * <p>A connection that has ended, or is too old, is not lent.
 *
 * <p><b>Threading:</b> any thread; a connection is delivered on the thread that gave it back, or on its engine's.
 * <b>Ownership:</b> the application disposes of the pool once; the client's resources also dispose of it.
 * <b>Errors:</b> {@link #acquire()} fails as {@link UcxClient#connect()} does, with {@link UcxStatus#EXCEEDS_LIMIT}
 * when too many subscribers wait, and with {@link UcxStatus#TIMED_OUT} after a wait that is too long.
 */
public final class UcxConnectionPool implements ConnectionCounters.Pool {

    /** The number of connections that a warm-up makes at a time. */
    private static final int MAX_WARMUP_PARALLELISM = 8;

    private final String peer;
    private final Duration pendingAcquireTimeout;
    private final InstrumentedPool<UcxConnection> pool;
    private final Set<UcxConnection> open = ConcurrentHashMap.newKeySet();
    private final AtomicInteger lent = new AtomicInteger();
    private final AtomicBoolean disposing = new AtomicBoolean();
    private final Sinks.Empty<Void> allReturned = Sinks.empty();
    private final Sinks.Empty<Void> gracePeriodEnd = Sinks.empty();
    private final Sinks.Empty<Void> disposed = Sinks.empty();

    UcxConnectionPool(UcxClient client, ConnectionPoolConfig config, Clock clock) {
        ConnectionPoolConfig.Eviction eviction = config.eviction();
        this.peer = client.peer();
        this.pendingAcquireTimeout = config.pendingAcquireTimeout();
        PoolBuilder<UcxConnection, PoolConfig<UcxConnection>> builder = PoolBuilder
                .from(client.connect().doOnNext(this::opened))
                .sizeBetween(config.minConnections(), config.maxConnections(),
                        Math.clamp(config.minConnections(), 1, MAX_WARMUP_PARALLELISM))
                .maxPendingAcquire(config.maxPending())
                .idleResourceReuseOrder(config.leastRecentlyUsedFirst())
                .evictionPredicate((connection, use) -> connection.state() != ConnectionState.CONNECTED
                        || use.idleTime() >= eviction.maxIdleTime().toMillis()
                        || use.lifeTime() >= eviction.maxLifeTime().toMillis())
                .destroyHandler(UcxConnection::close)
                .clock(clock);
        this.pool = (eviction.interval().isZero() ? builder : builder.evictInBackground(eviction.interval()))
                .buildPool();
        client.resources().counters().addPool(this);
    }

    /**
     * Returns a builder of a pool of a client's connections.
     *
     * @param client a client with the address of the peer
     * @return a builder
     */
    public static UcxConnectionPoolBuilder builder(UcxClient client) {
        return new UcxConnectionPoolBuilder(client);
    }

    private void opened(UcxConnection connection) {
        open.add(connection);
        connection.onDispose().subscribe(ignored -> { }, error -> { }, () -> open.remove(connection));
        if (pool.isDisposed()) {
            // The close of all connections may be over.
            connection.dispose();
            throw closed();
        }
    }

    /**
     * Takes an idle connection, or makes one, or waits for one that is given back.
     *
     * @return the connection, which the subscriber gives back; a cancel before takes none
     */
    public Mono<PooledConnection> acquire() {
        return new UncancelledMono<>(new AcquireMono(this, pool, pendingAcquireTimeout),
                lent -> lent.release().subscribe());
    }

    /**
     * Uses a connection and gives it back when the work has completed, failed or was cancelled.
     *
     * @param use returns the work on the connection
     * @param <T> type of the result
     * @return its result
     */
    public <T> Mono<T> withConnection(Function<? super UcxConnection, ? extends Mono<T>> use) {
        Objects.requireNonNull(use, "use");
        return Mono.usingWhen(acquire(), taken -> Mono.fromDirect(ContainedPublisher.<T>calling(
                "withConnection: the use", () -> use.apply(taken.connection()))), PooledConnection::release,
                (taken, error) -> taken.release(), PooledConnection::release);
    }

    /**
     * Uses a connection and gives it back when the work has completed, failed or was cancelled.
     *
     * @param use returns the work on the connection
     * @param <T> type of the results
     * @return its results
     */
    public <T> Flux<T> withConnectionMany(Function<? super UcxConnection, ? extends Publisher<T>> use) {
        Objects.requireNonNull(use, "use");
        return Flux.usingWhen(acquire(), taken -> ContainedPublisher.<T>calling("withConnectionMany: the use",
                () -> use.apply(taken.connection())), PooledConnection::release,
                (taken, error) -> taken.release(), PooledConnection::release);
    }

    /**
     * Makes connections up to the configured minimum.
     *
     * @return the number of connections that were made; a cancel does not stop the warm-up
     */
    public Mono<Integer> warmup() {
        return Mono.create(sink -> {
            if (disposing.get()) {
                sink.error(closed());
            } else {
                // A cancel is not passed on: the pool would count connections that were not made.
                pool.warmup().subscribe(sink::success, sink::error, sink::success);
            }
        });
    }

    /** {@return the number of connections that are lent, or being made} */
    @Override
    public int acquiredConnections() {
        return pool.metrics().acquiredSize();
    }

    /** {@return the number of idle connections} */
    @Override
    public int idleConnections() {
        return pool.metrics().idleSize();
    }

    /** {@return the number of subscribers that wait for a connection} */
    @Override
    public int pendingAcquires() {
        return pool.metrics().pendingAcquireSize();
    }

    /** {@return the maximum number of connections} */
    @Override
    public int maxConnections() {
        return pool.metrics().getMaxAllocatedSize();
    }

    /** Counts a subscriber that takes a connection, until {@link #returned()}. Returns false if the pool is closed. */
    boolean lend() {
        lent.incrementAndGet();
        if (disposing.get()) {
            returned();
            return false;
        }
        return true;
    }

    /** A subscriber has given its connection back, or got none. */
    void returned() {
        if (lent.decrementAndGet() == 0 && disposing.get()) {
            allReturned.tryEmitEmpty();
        }
    }

    /** Returns an error of reactor-pool as an exception of this library. */
    Throwable explained(Throwable error) {
        return switch (error) {
            case PoolAcquirePendingLimitException full -> new UcxException(UcxStatus.EXCEEDS_LIMIT, "acquire", peer,
                    "pendingAcquireMaxCount " + full.getAcquirePendingLimit()
                            + " subscribers wait for a connection already", full);
            case PoolAcquireTimeoutException late -> new UcxException(UcxStatus.TIMED_OUT, "acquire", peer,
                    "no connection within pendingAcquireTimeout " + pendingAcquireTimeout, late);
            case PoolShutdownException shutdown -> closed();
            default -> error;
        };
    }

    UcxClosedException closed() {
        return new UcxClosedException("acquire", peer, "the connection pool is closed");
    }

    /**
     * Closes all connections gracefully, including lent ones.
     *
     * @return completes when all connections are closed
     */
    public Mono<Void> disposeLater() {
        return Mono.defer(() -> {
            gracePeriodEnd.tryEmitEmpty();
            return stop(Duration.ZERO);
        });
    }

    /**
     * Closes all connections gracefully when they have been given back, after waiting subscribers have had theirs. New
     * subscribers fail at once.
     *
     * @param gracePeriod how long to wait for that, at least 0; then lent connections are closed as well
     * @return completes when all connections are closed
     */
    public Mono<Void> disposeLater(Duration gracePeriod) {
        ConnectionPoolConfig.checkTime(gracePeriod, "gracePeriod", Duration.ZERO);
        return Mono.defer(() -> stop(gracePeriod));
    }

    private Mono<Void> stop(Duration gracePeriod) {
        if (disposing.compareAndSet(false, true)) {
            if (lent.get() == 0) {
                allReturned.tryEmitEmpty();
            }
            Mono.firstWithSignal(allReturned.asMono(), gracePeriodEnd.asMono(), Mono.delay(gracePeriod).then())
                    .then(Mono.defer(pool::disposeLater)).onErrorComplete()
                    .thenMany(Flux.defer(() -> Flux.fromIterable(open)))
                    .flatMap(connection -> connection.close(CloseMode.FLUSH), Integer.MAX_VALUE)
                    .subscribe(ignored -> { }, error -> disposed.tryEmitEmpty(), disposed::tryEmitEmpty);
        }
        return disposed.asMono();
    }

    @Override
    public void dispose() {
        disposeLater().subscribe();
    }

    /**
     * Closes all connections gracefully and waits.
     *
     * @param timeout the longest wait, more than 0
     */
    public void disposeNow(Duration timeout) {
        Blocking.awaitEnd(disposeLater(), timeout, "disposeNow", this);
    }

    @Override
    public boolean isDisposed() {
        return disposing.get();
    }

    /** {@return completes when all connections are closed} */
    @Override
    public Mono<Void> onDispose() {
        return disposed.asMono();
    }

    @Override
    public String toString() {
        return "UcxConnectionPool[" + peer + ", acquired=" + acquiredConnections() + ", idle=" + idleConnections()
                + ", max=" + maxConnections() + (disposing.get() ? ", closing]" : "]");
    }
}
