package io.reactorucx;

import io.reactorucx.internal.concurrent.UncancelledMono;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/**
 * Makes connections that are replaced when they are lost. Immutable: each setter returns a changed copy.
 *
 * <p>Each loss starts a new use of the {@link Retry}: the loss is the first error that it gets, each failed attempt to
 * connect the next one, so that it also decides the delay before the first attempt. {@link Retry#backoff} with jitter
 * spreads the attempts of many clients that have lost the same server.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> the caller disposes of the client's resources. <b>Errors:</b>
 * {@link #connect()} fails with the last error when the {@link Retry} gives up.
 */
public final class UcxReconnectingClient {

    private static final Duration LONGEST = Duration.ofHours(1);

    private final UcxClient client;
    private final Retry retry;
    private final int pendingMaxCount;
    private final Duration pendingTimeout;
    private final Function<? super UcxConnection, ? extends Publisher<Void>> onConnected;

    private UcxReconnectingClient(UcxClient client, Retry retry, int pendingMaxCount, Duration pendingTimeout,
            Function<? super UcxConnection, ? extends Publisher<Void>> onConnected) {
        this.client = client;
        this.retry = retry;
        this.pendingMaxCount = pendingMaxCount;
        this.pendingTimeout = pendingTimeout;
        this.onConnected = onConnected;
    }

    static UcxReconnectingClient of(UcxClient client, Retry retry) {
        return new UcxReconnectingClient(client, Objects.requireNonNull(retry, "retry"), 1024, Duration.ofSeconds(10),
                connection -> Mono.empty());
    }

    /**
     * Limits the subscribers that wait while there is no connection; further ones fail at once with
     * {@link io.reactorucx.core.error.UcxStatus#EXCEEDS_LIMIT}, and {@code isConnectionLost()}.
     *
     * @param count at least 0, 1024 by default
     * @return a changed copy
     */
    public UcxReconnectingClient pendingMaxCount(int count) {
        if (count < 0) {
            throw new IllegalArgumentException("pendingMaxCount " + count + ": must be at least 0");
        }
        return new UcxReconnectingClient(client, retry, count, pendingTimeout, onConnected);
    }

    /**
     * Limits how long a subscriber waits while there is no connection, before it fails with
     * {@link io.reactorucx.core.error.UcxStatus#TIMED_OUT}. That error {@code isConnectionLost()} and
     * {@code isRetryable()}, so that a retry by either goes on. Its cause is the error of the last attempt to connect.
     *
     * @param value 1 ms to 1 h, 10 s by default
     * @return a changed copy
     */
    public UcxReconnectingClient pendingTimeout(Duration value) {
        Objects.requireNonNull(value, "value");
        if (value.compareTo(Duration.ofMillis(1)) < 0 || value.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("pendingTimeout " + value + ": must be in 1 ms.." + LONGEST);
        }
        return new UcxReconnectingClient(client, retry, pendingMaxCount, value, onConnected);
    }

    /**
     * Sets the setup of each new connection, including the first one, such as subscribing to messages or logging in. It
     * is called on the connection's engine and must not block. Subscribers that wait for the connection wait for the
     * setup too, which may take up to the client's {@link UcxClient#connectTimeout(Duration)}; when it fails, the
     * connection is closed, and the {@link Retry} gets the error.
     *
     * @param setup returns a publisher that completes when the connection is ready
     * @return a changed copy
     */
    public UcxReconnectingClient onConnected(Function<? super UcxConnection, ? extends Publisher<Void>> setup) {
        return new UcxReconnectingClient(client, retry, pendingMaxCount, pendingTimeout,
                Objects.requireNonNull(setup, "setup"));
    }

    /**
     * Connects, for each subscriber anew.
     *
     * @return the reconnecting connection, when it is connected for the first time; a cancel aborts connecting
     */
    public Mono<UcxReconnectingConnection> connect() {
        return connect(connecting -> { });
    }

    /** Connects, and first shows who connects. */
    private Mono<UcxReconnectingConnection> connect(Consumer<UcxReconnectingConnection> begun) {
        return new UncancelledMono<>(Mono.create(sink -> {
            UcxReconnectingConnection connection = new UcxReconnectingConnection(this);
            begun.accept(connection);
            sink.onCancel(connection);
            connection.start().subscribe(first -> { }, sink::error, () -> sink.success(connection));
        }), UcxReconnectingConnection::dispose);
    }

    /**
     * Connects and waits. When that takes too long, the exception has the error of the last attempt as its cause.
     *
     * @param timeout the longest wait, more than 0
     * @return the connection
     */
    public UcxReconnectingConnection connectNow(Duration timeout) {
        AtomicReference<UcxReconnectingConnection> connecting = new AtomicReference<>();
        return Objects.requireNonNull(Blocking.await(connect(connecting::set), timeout, "connectNow", late ->
                connecting.get().late("connect", "no connection within " + timeout, late)));
    }

    UcxClient client() {
        return client;
    }

    Retry retry() {
        return retry;
    }

    int pendingMaxCount() {
        return pendingMaxCount;
    }

    Duration pendingTimeout() {
        return pendingTimeout;
    }

    Function<? super UcxConnection, ? extends Publisher<Void>> onConnected() {
        return onConnected;
    }

    @Override
    public String toString() {
        return "UcxReconnectingClient[" + client + "]";
    }
}
