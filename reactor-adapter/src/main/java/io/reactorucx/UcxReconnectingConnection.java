package io.reactorucx;

import io.reactorucx.connection.ConnectionState;
import io.reactorucx.core.CloseMode;
import io.reactorucx.core.UcxClosedException;
import io.reactorucx.core.UcxException;
import io.reactorucx.core.UcxStatus;
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
import reactor.core.publisher.Sinks;

/**
 * One connection that is made anew whenever it ends, but by {@link #close()}.
 *
 * <p>While there is none, new work waits, bounded by count and time. Work that was under way fails with an error that
 * {@link UcxException#isConnectionLost()}: it may or may not have reached the peer, so only the caller knows whether to
 * repeat it, such as by {@code retryWhen(Retry.max(3).filter(..))}, which waits for the next connection.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> close it once; it is also closed with the client's resources.
 * <b>Errors:</b> when the {@link reactor.util.retry.Retry} gives up, who waits and all later callers fail with an
 * {@link UcxException} that has the last error as its cause, and this object is done.
 */
public final class UcxReconnectingConnection implements Disposable {

    private static final Logger LOG = LoggerFactory.getLogger(UcxReconnectingConnection.class);
    private static final Duration BUSY_LOOP = Duration.ofSeconds(1);

    private final UcxReconnectingClient settings;
    private final String peer;
    private final AtomicReference<ConnectionIncarnation> current = new AtomicReference<>(new ConnectionIncarnation());
    private final AtomicInteger pending = new AtomicInteger();
    private final AtomicLong reconnects = new AtomicLong();
    private final AtomicBoolean closing = new AtomicBoolean();
    private final Sinks.Empty<Void> disposed = Sinks.empty();
    private final Sinks.Many<ConnectionState> states = Sinks.many().replay().latest();

    UcxReconnectingConnection(UcxReconnectingClient settings) {
        this.settings = settings;
        this.peer = settings.client().peer();
    }

    /** Makes the first connection; completes when it stands. */
    Mono<Void> start() {
        settings.client().resources().counters().add(this);
        ConnectionIncarnation first = current.get();
        make(first, null);
        return first.connection().then();
    }

    private void make(ConnectionIncarnation period, @Nullable UcxConnection lost) {
        AtomicBoolean begun = new AtomicBoolean();
        period.making(Mono.defer(() -> begun.compareAndSet(false, true)
                && lost != null ? ConnectionIncarnation.<UcxConnection>loss(lost)
                        : connect(period))
                .retryWhen(settings.retry())
                .switchIfEmpty(Mono.error(() -> new UcxException(UcxStatus.NOT_CONNECTED, "reconnect", peer,
                "the Retry wants no more")))
                .subscribe(connection -> begins(period, connection, lost != null), error -> gaveUp(period, error)));
    }

    private Mono<UcxConnection> connect(ConnectionIncarnation period) {
        return settings.client().connect().flatMap(connection -> {
            period.candidate(connection);
            Mono<Void> setup = Mono.defer(() -> Mono.from(settings.onConnected().apply(connection)));
            Mono<Void> loss = connection.onDispose().then(ConnectionIncarnation.loss(connection));
            return Mono.firstWithSignal(setup, loss).timeout(settings.client().connectTimeout())
                    .onErrorMap(TimeoutException.class, late -> new UcxException(UcxStatus.TIMED_OUT, "onConnected",
                    peer,
                            "not ready within " + settings.client().connectTimeout(), late))
                    .doOnError(error -> connection.close(CloseMode.FORCE).subscribe())
                    .thenReturn(connection);
        });
    }

    private void begins(ConnectionIncarnation period, UcxConnection connection, boolean again) {
        period.begins(connection);
        if (current.get() != period) {
            connection.dispose();
            return;
        }
        if (again) {
            reconnects.incrementAndGet();
            settings.client().resources().counters().reconnected();
            LOG.debug("[{}] connected again", peer);
        }
        tell(ConnectionState.CONNECTED);
        period.announce(connection);
        connection.onDispose().subscribe(ignored -> { }, error -> { }, () -> next(period));
    }

    /** The period after this one, if it is over; whoever sees that first begins it. */
    private ConnectionIncarnation next(ConnectionIncarnation period) {
        if (period.isOver()) {
            ConnectionIncarnation next = new ConnectionIncarnation();
            if (current.compareAndSet(period, next)) {
                tell(ConnectionState.RECONNECTING);
                make(next, period.stop());
            }
        }
        return current.get();
    }

    private void gaveUp(ConnectionIncarnation period, Throwable error) {
        Throwable cause = Exceptions.isRetryExhausted(error) && error.getCause() != null ? error.getCause() : error;
        UcxStatus status = cause instanceof UcxException ucx ? ucx.status() : UcxStatus.NOT_CONNECTED;
        period.fail(() -> new UcxException(status, "reconnect", peer, "gave up: " + cause.getMessage(), cause));
        if (current.get() == period) {
            LOG.warn("[{}] no longer tries to connect: {}", peer, cause.toString());
            gone();
        }
    }

    private void tell(ConnectionState state) {
        states.emitNext(state, Sinks.EmitFailureHandler.busyLooping(BUSY_LOOP));
    }

    /**
     * The connection that there is, or the next one.
     *
     * @return the connection, at once or when it has been made; it may end at any time, so ask again for each use
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
            return Mono.error(new UcxException(UcxStatus.EXCEEDS_LIMIT, "reconnect", peer,
                    "as many wait for a connection as pendingMaxCount "
                    + max + " allows"));
        }
        return awaited().timeout(settings.pendingTimeout())
                .onErrorMap(TimeoutException.class, late -> new UcxException(UcxStatus.TIMED_OUT, "reconnect", peer,
                        "no connection within pendingTimeout " + settings.pendingTimeout(), late))
                .doFinally(end -> pending.decrementAndGet());
    }

    private Mono<UcxConnection> awaited() {
        return Mono.defer(() -> next(current.get()).connection())
                .flatMap(made -> made.state() == ConnectionState.CONNECTED ? Mono.just(made) : awaited());
    }

    /**
     * Uses the connection that there is, or the next one.
     *
     * @param use what to do with it
     * @param <T> type of the result
     * @return its result; fails with an error that {@link UcxException#isConnectionLost()} when the connection ends
     * before
     */
    public <T> Mono<T> withConnection(Function<? super UcxConnection, ? extends Mono<T>> use) {
        Objects.requireNonNull(use, "use");
        return connection().<T>flatMap(use).onErrorMap(UcxClosedException.class, this::explained);
    }

    /**
     * Uses the connection that there is, or the next one.
     *
     * @param use what to do with it
     * @param <T> type of the results
     * @return its results; as {@link #withConnection(Function)}. A {@code receive} completes when the peer closes in
     * good order
     */
    public <T> Flux<T> withConnectionMany(Function<? super UcxConnection, ? extends Publisher<T>> use) {
        Objects.requireNonNull(use, "use");
        return connection().<T>flatMapMany(use).onErrorMap(UcxClosedException.class, this::explained);
    }

    /** Closed is what the connection is; this object is not. */
    private Throwable explained(UcxClosedException error) {
        return closing.get() || error.peer() == null ? error
                : new UcxException(UcxStatus.NOT_CONNECTED, error.operation(), error.peer(),
                "the connection ended before", error);
    }

    /**
     * {@return whether there is a connection: {@link ConnectionState#CONNECTED}, {@link ConnectionState#RECONNECTING}
     * or why not}
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

    /** {@return the state now, and each one that follows; who is slow misses some} */
    public Flux<ConnectionState> states() {
        return states.asFlux().onBackpressureLatest();
    }

    /** {@return how often the connection was made anew} */
    public long reconnects() {
        return reconnects.get();
    }

    /** {@return who waits for a connection} */
    public int pending() {
        return pending.get();
    }

    /** {@return what the other side is called, for logs} */
    public String peer() {
        return peer;
    }

    /**
     * Closes the connection in good order and makes it no more. Who waits for one fails.
     *
     * @return completes when it is gone
     */
    public Mono<Void> close() {
        return Mono.defer(() -> {
            if (closing.compareAndSet(false, true)) {
                tell(ConnectionState.CLOSING);
                ConnectionIncarnation last = current.getAndSet(ConnectionIncarnation.failed(this::closed));
                UcxConnection open = last.stop();
                last.fail(this::closed);
                (open == null ? Mono.<Void>empty() : open.close())
                        .subscribe(ignored -> { }, error -> gone(), this::gone);
            }
            return disposed.asMono();
        });
    }

    private UcxClosedException closed() {
        return new UcxClosedException("operation", peer, "the reconnecting connection is closed");
    }

    private void gone() {
        tell(ConnectionState.CLOSED);
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
     * @param timeout longest wait, more than 0
     */
    public void disposeNow(Duration timeout) {
        Blocking.await(close(), timeout, "disposeNow");
    }

    /** {@return whether it is closed, or has given up} */
    @Override
    public boolean isDisposed() {
        return closing.get() || current.get().hasFailed();
    }

    /** {@return completes when it is closed, or has given up} */
    public Mono<Void> onDispose() {
        return disposed.asMono();
    }

    @Override
    public String toString() {
        return "UcxReconnectingConnection[" + peer + ", " + state() + "]";
    }
}
