package io.reactorucx;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/**
 * Makes connections that are made anew when they are lost. Immutable: each setter gives a changed copy.
 *
 * <p>Every loss begins a new use of the {@link Retry}: the loss is the first error that it sees, and each failed try to
 * connect another, so that it also decides how long to wait before the first try. {@link Retry#backoff} spares a server
 * that many want back at once.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> the client's resources are the caller's. <b>Errors:</b>
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
     * How many may wait at a time while there is no connection; one more fails at once, with
     * {@link io.reactorucx.core.UcxStatus#EXCEEDS_LIMIT}.
     *
     * @param count at least 0, 1024 by default
     * @return a changed copy
     */
    public UcxReconnectingClient pendingMaxCount(int count) {
        if (count < 0) {
            throw new IllegalArgumentException("pendingMaxCount " + count + ": at least 0");
        }
        return new UcxReconnectingClient(client, retry, count, pendingTimeout, onConnected);
    }

    /**
     * How long one may wait while there is no connection, before it fails with
     * {@link io.reactorucx.core.UcxStatus#TIMED_OUT}.
     *
     * @param value at least 1 ms, 10 s by default
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
     * What to do with each new connection, the first one too, before anybody else has it: begin to receive, tell the
     * peer who this is. It is called on the connection's engine and must not block. Who waits for the connection waits
     * for this too, at most for the client's {@link UcxClient#connectTimeout(Duration)}; when it fails, the connection
     * is given up, and the {@link Retry} sees the error.
     *
     * @param setup gives a publisher that ends when the connection is ready
     * @return a changed copy
     */
    public UcxReconnectingClient onConnected(Function<? super UcxConnection, ? extends Publisher<Void>> setup) {
        return new UcxReconnectingClient(client, retry, pendingMaxCount, pendingTimeout,
                Objects.requireNonNull(setup, "setup"));
    }

    /**
     * Connects, anew for each subscriber.
     *
     * @return the connection, when it stands for the first time; a cancel before gives it up
     */
    public Mono<UcxReconnectingConnection> connect() {
        return Mono.create(sink -> {
            UcxReconnectingConnection connection = new UcxReconnectingConnection(this);
            sink.onCancel(connection);
            connection.start().subscribe(first -> { }, sink::error, () -> sink.success(connection));
        });
    }

    /**
     * Connects and waits.
     *
     * @param timeout longest wait, more than 0
     * @return the connection
     */
    public UcxReconnectingConnection connectNow(Duration timeout) {
        return Objects.requireNonNull(Blocking.await(connect(), timeout, "connectNow"));
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
}
