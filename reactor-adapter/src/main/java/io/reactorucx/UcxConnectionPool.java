package io.reactorucx;

import io.reactorucx.connection.ConnectionState;
import io.reactorucx.core.CloseMode;
import io.reactorucx.core.UcxClosedException;
import io.reactorucx.core.UcxException;
import io.reactorucx.core.UcxStatus;
import io.reactorucx.internal.config.ConnectionPoolConfig;
import java.time.Clock;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.Disposable;
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
 * Connections to one peer that are lent one by one, made when they are needed and kept for the next one. Work that goes
 * well together needs no pool: a connection carries many operations at a time.
 *
 * <p>A connection that has ended, or is too old, is not lent.
 *
 * <p><b>Threading:</b> any thread; a connection is handed over on the thread that gave it back, or on its engine's.
 * <b>Ownership:</b> dispose of it once; it is also disposed of with the client's resources. <b>Errors:</b>
 * {@link #acquire()} fails as {@link UcxClient#connect()} does, with {@link UcxStatus#EXCEEDS_LIMIT} when too many
 * wait, and with {@link UcxStatus#TIMED_OUT} when one has waited too long.
 */
public final class UcxConnectionPool implements Disposable {

    /** How many connections a warm-up makes at a time. */
    private static final int MAX_WARMUP_PARALLELISM = 8;

    private final String peer;
    private final Duration pendingAcquireTimeout;
    private final InstrumentedPool<UcxConnection> pool;
    private final Set<UcxConnection> open = ConcurrentHashMap.newKeySet();
    private final AtomicInteger lent = new AtomicInteger();
    private final AtomicBoolean disposing = new AtomicBoolean();
    private final Sinks.Empty<Void> allReturned = Sinks.empty();
    private final Sinks.Empty<Void> urged = Sinks.empty();
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
        client.resources().counters().add(this);
    }

    /**
     * A pool of the connections that a client makes.
     *
     * @param client with the address of the peer
     * @return a builder
     */
    public static UcxConnectionPoolBuilder builder(UcxClient client) {
        return new UcxConnectionPoolBuilder(client);
    }

    private void opened(UcxConnection connection) {
        open.add(connection);
        connection.onDispose().subscribe(ignored -> { }, error -> { }, () -> open.remove(connection));
        if (pool.isDisposed()) {
            // Maybe too late for the one who closes them all.
            connection.dispose();
            throw closed();
        }
    }

    /**
     * Takes a connection, an idle one or a new one, or waits for one that is given back.
     *
     * @return the connection, which the subscriber gives back; none is taken when it cancels before
     */
    public Mono<PooledConnection> acquire() {
        return new AcquireMono(this, pool, pendingAcquireTimeout);
    }

    /**
     * Uses a connection and gives it back when that has ended, well or badly or by a cancel.
     *
     * @param use what to do with it
     * @param <T> type of the result
     * @return its result
     */
    public <T> Mono<T> withConnection(Function<? super UcxConnection, ? extends Mono<T>> use) {
        Objects.requireNonNull(use, "use");
        return Mono.usingWhen(acquire(), taken -> use.apply(taken.connection()), PooledConnection::release,
                (taken, error) -> taken.release(), PooledConnection::release);
    }

    /**
     * Uses a connection and gives it back when that has ended, well or badly or by a cancel.
     *
     * @param use what to do with it
     * @param <T> type of the results
     * @return its results
     */
    public <T> Flux<T> withConnectionMany(Function<? super UcxConnection, ? extends Publisher<T>> use) {
        Objects.requireNonNull(use, "use");
        return Flux.usingWhen(acquire(), taken -> use.apply(taken.connection()), PooledConnection::release,
                (taken, error) -> taken.release(), PooledConnection::release);
    }

    /**
     * Makes connections until there are as many as there shall be at least.
     *
     * @return how many were made; a cancel does not stop it
     */
    public Mono<Integer> warmup() {
        return Mono.create(sink -> {
            if (disposing.get()) {
                sink.error(closed());
            } else {
                // Not cancelled with the subscriber: the pool would count the connections that were not made.
                pool.warmup().subscribe(sink::success, sink::error, sink::success);
            }
        });
    }

    /** {@return connections that are lent, or being made} */
    public int acquiredConnections() {
        return pool.metrics().acquiredSize();
    }

    /** {@return connections that wait to be lent} */
    public int idleConnections() {
        return pool.metrics().idleSize();
    }

    /** {@return who waits for a connection} */
    public int pendingAcquires() {
        return pool.metrics().pendingAcquireSize();
    }

    /** {@return most connections at a time} */
    public int maxConnections() {
        return pool.metrics().getMaxAllocatedSize();
    }

    /** Whether one more may take a connection; it counts until {@link #returned()}. */
    boolean lends() {
        lent.incrementAndGet();
        if (disposing.get()) {
            returned();
            return false;
        }
        return true;
    }

    /** One has given back what it had, or has given up before. */
    void returned() {
        if (lent.decrementAndGet() == 0 && disposing.get()) {
            allReturned.tryEmitEmpty();
        }
    }

    /** In the words of this library. */
    Throwable explained(Throwable error) {
        return switch (error) {
            case PoolAcquirePendingLimitException full -> new UcxException(UcxStatus.EXCEEDS_LIMIT, "acquire", peer,
                    "as many wait for a connection as pendingAcquireMaxCount " + full.getAcquirePendingLimit()
                    + " allows", full);
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
     * Closes all connections in good order, those that are lent too.
     *
     * @return completes when all is closed
     */
    public Mono<Void> disposeLater() {
        return Mono.defer(() -> {
            urged.tryEmitEmpty();
            return stop(Duration.ZERO);
        });
    }

    /**
     * Closes in good order when all connections are back, and those who wait now have had theirs. New ones are refused
     * at once.
     *
     * @param gracePeriod how long to wait for that, at least 0; connections that are lent then are closed as well
     * @return completes when all is closed
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
            Mono.firstWithSignal(allReturned.asMono(), urged.asMono(), Mono.delay(gracePeriod).then())
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
     * Closes all connections in good order and waits.
     *
     * @param timeout longest wait, more than 0
     */
    public void disposeNow(Duration timeout) {
        Blocking.await(disposeLater(), timeout, "disposeNow");
    }

    @Override
    public boolean isDisposed() {
        return disposing.get();
    }

    /** {@return completes when all is closed} */
    public Mono<Void> onDispose() {
        return disposed.asMono();
    }
}
