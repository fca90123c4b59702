package io.reactorucx;

import io.reactorucx.connection.ConnectionState;
import io.reactorucx.core.CloseMode;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.internal.concurrent.ContainedPublisher;
import io.reactorucx.internal.concurrent.ContainedRetry;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.Exceptions;
import reactor.core.Scannable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Signal;
import reactor.core.publisher.Sinks;

/**
 * A connection that is replaced whenever it ends, except by {@link #close()}.
 *
 * <p>While there is no connection, new work waits, limited by count and time. Work in progress fails with an error for
 * which {@link UcxException#isConnectionLost()} is true: it may or may not have reached the peer, so the caller decides
 * whether to repeat it, for example with {@code retryWhen(Retry.max(3).filter(..))}, which waits for the next
 * connection.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> the application closes it once; the client's resources also close
 * it. <b>Errors:</b> when the {@link reactor.util.retry.Retry} gives up, or an error is permanent
 * ({@link UcxClient#reconnect}), waiting and later subscribers fail with an {@link UcxException} whose cause is the
 * last error, and this object is closed.
 */
public final class UcxReconnectingConnection implements Disposable {

    private static final Logger LOG = LoggerFactory.getLogger(UcxReconnectingConnection.class);
    private static final Duration BUSY_LOOP = Duration.ofSeconds(1);

    private final UcxReconnectingClient settings;
    private final String peer;
    private final AtomicReference<ConnectionIncarnation> current = new AtomicReference<>(new ConnectionIncarnation());
    /** The error of the last attempt to connect, null after one that succeeded. */
    private volatile @Nullable Throwable lastFailure;
    private final AtomicInteger pending = new AtomicInteger();
    private final AtomicLong reconnects = new AtomicLong();
    private final AtomicBoolean closing = new AtomicBoolean();
    private final Sinks.Empty<Void> disposed = Sinks.empty();
    private final Sinks.Many<ConnectionState> states = Sinks.many().replay().latest();

    UcxReconnectingConnection(UcxReconnectingClient settings) {
        this.settings = settings;
        this.peer = settings.client().peer();
    }

    /** Makes the first connection; completes when it is connected. */
    Mono<Void> start() {
        settings.client().resources().counters().addReconnecting(this, this::pending, onDispose());
        ConnectionIncarnation first = current.get();
        connect(first, null);
        return first.connection().then();
    }

    private void connect(ConnectionIncarnation incarnation, @Nullable UcxConnection lost) {
        AtomicBoolean attempted = new AtomicBoolean();
        incarnation.connecting(Mono.defer(() -> attempted.compareAndSet(false, true) && lost != null
                ? lossOf(lost) : attempt(incarnation).doOnError(error -> attemptFailed(incarnation, error)))
                .map(Signal::next)
                .onErrorResume(settings.client()::isPermanent, error -> Mono.just(Signal.error(error)))
                .retryWhen(new ContainedRetry(settings.retry()))
                .<UcxConnection>dematerialize()
                .switchIfEmpty(Mono.error(() -> new UcxException(UcxStatus.NOT_CONNECTED, "reconnect", peer,
                        "the Retry has completed")))
                .subscribe(connection -> connected(incarnation, connection, lost != null),
                        error -> failed(incarnation, error)));
    }

    private static Mono<UcxConnection> lossOf(UcxConnection lost) {
        return ConnectionIncarnation.<UcxConnection>loss(lost).doOnError(error ->
                LOG.info("[{}] lost, will be replaced: {}", lost.logName(), error.getMessage()));
    }

    private void attemptFailed(ConnectionIncarnation incarnation, Throwable error) {
        lastFailure = error;
        incarnation.attemptFailed(peer, error);
    }

    private Mono<UcxConnection> attempt(ConnectionIncarnation incarnation) {
        return settings.client().connect().flatMap(connection -> {
            incarnation.candidate(connection);
            Mono<Void> setup = ContainedPublisher.<Void>calling("onConnected",
                    () -> settings.onConnected().apply(connection)).then();
            Mono<Void> loss = connection.onDispose().then(ConnectionIncarnation.loss(connection));
            return Mono.firstWithSignal(setup, loss).timeout(settings.client().connectTimeout())
                    .onErrorMap(TimeoutException.class, late -> new UcxException(UcxStatus.TIMED_OUT, "onConnected",
                            peer, "not ready within " + settings.client().connectTimeout(), late))
                    .doOnError(error -> connection.close(CloseMode.FORCE).subscribe())
                    .thenReturn(connection);
        });
    }

    private void connected(ConnectionIncarnation incarnation, UcxConnection connection, boolean again) {
        incarnation.ready(connection);
        lastFailure = null;
        if (current.get() != incarnation) {
            connection.dispose();
            return;
        }
        if (again) {
            reconnects.incrementAndGet();
            settings.client().resources().counters().reconnected();
        }
        incarnation.logReady(again, connection.logName());
        emit(ConnectionState.CONNECTED);
        incarnation.announce(connection);
        connection.onDispose().subscribe(ignored -> { }, error -> { }, () -> next(incarnation));
    }

    /** Returns the current incarnation, after starting the next one if the given one has ended. */
    private ConnectionIncarnation next(ConnectionIncarnation incarnation) {
        if (incarnation.hasEnded()) {
            ConnectionIncarnation next = new ConnectionIncarnation();
            if (current.compareAndSet(incarnation, next)) {
                emit(ConnectionState.RECONNECTING);
                connect(next, incarnation.stop());
            }
        }
        return current.get();
    }

    private void failed(ConnectionIncarnation incarnation, Throwable error) {
        Throwable cause = Exceptions.isRetryExhausted(error) && error.getCause() != null ? error.getCause() : error;
        UcxStatus status = cause instanceof UcxException ucx ? ucx.status() : UcxStatus.NOT_CONNECTED;
        incarnation.fail(() -> new UcxException(status, "reconnect", peer, "gave up: " + cause.getMessage(), cause));
        if (current.get() == incarnation) {
            LOG.warn("[{}] stops reconnecting: {}", peer, cause.toString());
            terminated();
        }
    }

    private void emit(ConnectionState state) {
        states.emitNext(state, Sinks.EmitFailureHandler.busyLooping(BUSY_LOOP));
    }

    /**
     * Returns the current connection, or the next one.
     *
     * @return the connection, at once or when it is connected; it may end at any time, so call this for each use
     */
    public Mono<UcxConnection> connection() {
        return Mono.defer(() -> {
            ConnectionIncarnation now = next(current.get());
            UcxConnection live = now.live();
            return live != null ? Mono.just(live) : now.hasFailed() ? now.connection() : waiting();
        });
    }

    private Mono<UcxConnection> waiting() {
        int max = settings.pendingMaxCount();
        if (pending.getAndUpdate(count -> count < max ? count + 1 : count) >= max) {
            return Mono.error(new UcxException(UcxStatus.EXCEEDS_LIMIT, "await_connection", peer,
                    "pendingMaxCount " + max + " subscribers wait for a connection already"));
        }
        return awaited().timeout(settings.pendingTimeout())
                .onErrorMap(TimeoutException.class, timeout -> late("await_connection",
                        "no connection within pendingTimeout " + settings.pendingTimeout(), timeout))
                .doFinally(end -> pending.decrementAndGet());
    }

    /** Returns the error of a wait that has taken too long; its cause is that of the last attempt, if one failed. */
    UcxException late(String operation, String detail, Throwable timeout) {
        Throwable why = lastFailure;
        return new UcxException(UcxStatus.TIMED_OUT, operation, peer, why == null ? detail
                : detail + "; the last attempt failed: " + why.getMessage(), why == null ? timeout : why);
    }

    private Mono<UcxConnection> awaited() {
        return Mono.defer(() -> next(current.get()).connection())
                .flatMap(made -> made.state() == ConnectionState.CONNECTED ? Mono.just(made) : awaited());
    }

    /**
     * Uses the current connection, or the next one.
     *
     * @param use returns the work on it
     * @param <T> type of the result
     * @return its result; fails with an error for which {@link UcxException#isConnectionLost()} is true when the
     * connection ends before
     */
    public <T> Mono<T> withConnection(Function<? super UcxConnection, ? extends Mono<T>> use) {
        Objects.requireNonNull(use, "use");
        return connection()
                .<T>flatMap(made -> Mono.fromDirect(
                        ContainedPublisher.<T>calling("withConnection: the use", () -> use.apply(made))))
                .onErrorMap(UcxClosedException.class, this::explained);
    }

    /**
     * Uses the current connection, or the next one.
     *
     * @param use returns the work on it
     * @param <T> type of the results
     * @return its results, or an error as {@link #withConnection(Function)}. A {@code receive} completes when the peer
     * has completed what it sends and closes gracefully
     */
    public <T> Flux<T> withConnectionMany(Function<? super UcxConnection, ? extends Publisher<T>> use) {
        Objects.requireNonNull(use, "use");
        return connection()
                .<T>flatMapMany(made ->
                        ContainedPublisher.calling("withConnectionMany: the use", () -> use.apply(made)))
                .onErrorMap(UcxClosedException.class, this::explained);
    }

    /** Returns an error that says that the current connection is lost, because this object is not closed. */
    private Throwable explained(UcxClosedException error) {
        return closing.get() || error.peer() == null ? error
                : new UcxException(UcxStatus.NOT_CONNECTED, error.operation(), error.peer(),
                "the connection ended before", error);
    }

    /**
     * {@return {@link ConnectionState#CONNECTED} while there is a connection, {@link ConnectionState#RECONNECTING}
     * while there is none, or the state of the close}
     */
    public ConnectionState state() {
        ConnectionIncarnation now = current.get();
        if (closing.get()) {
            return disposed.scanOrDefault(Scannable.Attr.TERMINATED, false) ? ConnectionState.CLOSED
                    : ConnectionState.CLOSING;
        }
        return now.hasFailed() ? ConnectionState.CLOSED : now.live() != null ? ConnectionState.CONNECTED
                : ConnectionState.RECONNECTING;
    }

    /** {@return the current state and the following ones; a slow subscriber only gets the latest} */
    public Flux<ConnectionState> states() {
        return states.asFlux().onBackpressureLatest();
    }

    /** {@return how often a lost connection was replaced} */
    public long reconnects() {
        return reconnects.get();
    }

    /** {@return the number of subscribers that wait for a connection} */
    public int pending() {
        return pending.get();
    }

    /** {@return the name of the peer, for logs} */
    public String peer() {
        return peer;
    }

    /**
     * Closes the connection gracefully and stops reconnecting. Waiting subscribers fail.
     *
     * @return completes when the connection has ended
     */
    public Mono<Void> close() {
        return Mono.defer(() -> {
            if (closing.compareAndSet(false, true)) {
                emit(ConnectionState.CLOSING);
                ConnectionIncarnation last = current.getAndSet(ConnectionIncarnation.failed(this::closed));
                UcxConnection open = last.stop();
                last.fail(this::closed);
                (open == null ? Mono.<Void>empty() : open.close())
                        .subscribe(ignored -> { }, error -> terminated(), this::terminated);
            }
            return disposed.asMono();
        });
    }

    private UcxClosedException closed() {
        return new UcxClosedException("operation", peer, "the reconnecting connection is closed");
    }

    private void terminated() {
        emit(ConnectionState.CLOSED);
        states.emitComplete(Sinks.EmitFailureHandler.busyLooping(BUSY_LOOP));
        disposed.tryEmitEmpty();
    }

    @Override
    public void dispose() {
        close().subscribe();
    }

    /**
     * Closes and waits.
     *
     * @param timeout the longest wait, more than 0
     */
    public void disposeNow(Duration timeout) {
        Blocking.awaitEnd(close(), timeout, "disposeNow", this);
    }

    /** {@return whether this is closed, or has given up} */
    @Override
    public boolean isDisposed() {
        return closing.get() || current.get().hasFailed();
    }

    /** {@return completes when this is closed, or has given up} */
    public Mono<Void> onDispose() {
        return disposed.asMono();
    }

    @Override
    public String toString() {
        return "UcxReconnectingConnection[" + peer + ", " + state() + "]";
    }
}
