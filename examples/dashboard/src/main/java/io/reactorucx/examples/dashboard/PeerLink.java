package io.reactorucx.examples.dashboard;

import io.reactorucx.UcxClient;
import io.reactorucx.UcxReconnectingConnection;
import io.reactorucx.UcxResources;
import io.reactorucx.connection.ConnectionState;
import java.time.Duration;
import reactor.util.retry.Retry;

/**
 * The connection to the peer, which is replaced when it is lost, and since when it is as it is.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> {@link #close()} closes the connection. <b>Errors:</b> those of
 * {@link UcxReconnectingConnection}.
 */
final class PeerLink implements AutoCloseable {

    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(20);
    private static final Duration FIRST_DELAY = Duration.ofMillis(100);
    private static final Duration LONGEST_DELAY = Duration.ofMillis(500);
    private static final Duration PENDING_LIMIT = Duration.ofSeconds(2);
    private static final int MAX_PENDING = 256;

    /**
     * The state of the connection.
     *
     * @param connection what it is
     * @param since ms since the epoch
     */
    record State(ConnectionState connection, long since) {

        static State now(ConnectionState connection) {
            return new State(connection, System.currentTimeMillis());
        }
    }

    private final UcxReconnectingConnection connection;
    private volatile State state = State.now(ConnectionState.CONNECTED);

    private PeerLink(UcxReconnectingConnection connection) {
        this.connection = connection;
        connection.states().distinctUntilChanged().subscribe(next -> state = State.now(next));
    }

    /** Connects; the peer has to listen. */
    static PeerLink connect(UcxResources resources, int port) {
        return new PeerLink(UcxClient.create(resources)
                .remoteAddress("127.0.0.1", port)
                .reconnect(Retry.backoff(Long.MAX_VALUE, FIRST_DELAY).maxBackoff(LONGEST_DELAY))
                .pendingMaxCount(MAX_PENDING)
                .pendingTimeout(PENDING_LIMIT)
                .connectNow(CONNECT_LIMIT));
    }

    UcxReconnectingConnection connection() {
        return connection;
    }

    State state() {
        return state;
    }

    @Override
    public void close() {
        connection.dispose();
    }
}
