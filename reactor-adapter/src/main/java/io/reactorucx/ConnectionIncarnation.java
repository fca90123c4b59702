package io.reactorucx;

import io.reactorucx.connection.ConnectionState;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * One connection of a reconnecting connection: it is being made, then in use, or could not be made.
 *
 * <p>Thread: any.
 */
final class ConnectionIncarnation {

    private static final Logger LOG = LoggerFactory.getLogger(UcxReconnectingConnection.class);
    /** Retries may come every few milliseconds, and go on for days. */
    private static final long LOG_PERIOD_NANOS = 10_000_000_000L;

    private final Sinks.One<UcxConnection> made = Sinks.one();
    private final Disposable.Swap connecting = Disposables.swap();
    private volatile @Nullable UcxConnection candidate;
    private volatile @Nullable UcxConnection connection;
    private volatile @Nullable Supplier<UcxException> failure;
    // One attempt follows the other.
    private volatile int failedAttempts;
    private volatile long loggedNanos;

    /** Returns an incarnation without a connection, whose subscribers fail. */
    static ConnectionIncarnation failed(Supplier<UcxException> failure) {
        ConnectionIncarnation incarnation = new ConnectionIncarnation();
        incarnation.fail(failure);
        return incarnation;
    }

    /** Sets the subscription that makes the connection; {@link #stop} disposes of it. */
    void connecting(Disposable subscription) {
        connecting.update(subscription);
    }

    /** Sets the connection while its setup runs. */
    void candidate(UcxConnection connected) {
        candidate = connected;
        if (connecting.isDisposed()) {
            connected.dispose();
        }
    }

    /** Sets the connection after its setup. {@link #announce} signals it to waiting subscribers. */
    void ready(UcxConnection ready) {
        connection = ready;
    }

    void announce(UcxConnection ready) {
        made.tryEmitValue(ready);
    }

    /** An attempt to connect has failed; the {@link reactor.util.retry.Retry} decides what follows. */
    void attemptFailed(String peer, Throwable error) {
        int attempts = failedAttempts + 1;
        failedAttempts = attempts;
        long now = System.nanoTime();
        if (attempts == 1 || now - loggedNanos >= LOG_PERIOD_NANOS) {
            loggedNanos = now;
            LOG.info("[{}] attempt {} to connect failed: {}", peer, attempts, error.getMessage());
        } else {
            LOG.debug("[{}] attempt {} to connect failed", peer, attempts, error);
        }
    }

    void logReady(boolean again, String name) {
        if (again || failedAttempts > 0) {
            LOG.info("[{}] {}connected after {} failed attempts", name, again ? "re" : "", failedAttempts);
        }
    }

    /** Fails waiting and later subscribers. */
    void fail(Supplier<UcxException> error) {
        failure = error;
        made.tryEmitError(error.get());
    }

    /** Stops connecting, and returns the connection to close, if there is one. */
    @Nullable UcxConnection stop() {
        connecting.dispose();
        UcxConnection ready = connection;
        return ready == null ? candidate : ready;
    }

    /** Returns the connection if there is one that is in use. */
    @Nullable UcxConnection live() {
        UcxConnection ready = connection;
        return ready != null && ready.state() == ConnectionState.CONNECTED ? ready : null;
    }

    boolean hasEnded() {
        UcxConnection ready = connection;
        return ready != null && ready.state() != ConnectionState.CONNECTED;
    }

    boolean hasFailed() {
        return failure != null;
    }

    /** Returns a Mono of the connection, or of the failure to make it. */
    Mono<UcxConnection> connection() {
        Supplier<UcxException> error = failure;
        return error == null ? made.asMono() : Mono.error(error);
    }

    /**
     * Returns a Mono of the error that ends a connection: its loss, or a graceful close, which counts as a loss here.
     */
    static <T> Mono<T> loss(UcxConnection of) {
        // The peer may have begun to close, and this side not yet.
        return of.loss().onErrorComplete(UcxClosedException.class)
                .then(Mono.error(() -> new UcxException(UcxStatus.NOT_CONNECTED, "connection", of.peer(),
                "the connection was closed gracefully")));
    }
}
