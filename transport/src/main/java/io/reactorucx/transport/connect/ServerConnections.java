package io.reactorucx.transport.connect;

import io.reactorucx.core.CloseMode;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.transport.command.EndSignal;
import io.reactorucx.transport.command.JvmErrors;
import io.reactorucx.transport.command.LimitedLog;
import io.reactorucx.transport.connection.ConnectionCore;
import io.reactorucx.transport.handshake.FairLimit;
import io.reactorucx.transport.handshake.PeerOrigin;
import io.reactorucx.transport.handshake.Rejection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections that a server has accepted, each with its handler, and the stop that waits for them.
 *
 * <p>Thread: any.
 */
public final class ServerConnections {

    private static final Logger LOG = LoggerFactory.getLogger(ServerConnections.class);

    private final LimitedLog failures = new LimitedLog(LOG);
    private final FairLimit limit;
    private final String limitName;
    private final String shareName;
    private final Function<Established, HandledConnection> handler;
    private final Runnable whenRejected;
    private final Map<ConnectionCore, HandledConnection> running = new ConcurrentHashMap<>();
    private final CompletableFuture<@Nullable Object> gracePeriodEnd = new CompletableFuture<>();
    private volatile boolean stopping;

    /**
     * Creates an empty set.
     *
     * @param limit connections beyond are rejected
     * @param limitName the setting of the limit
     * @param shareName the setting of the share
     * @param handler hands a connection to the application; runs on the connection's engine
     * @param whenRejected counts rejected connections
     */
    public ServerConnections(FairLimit limit, String limitName, String shareName,
            Function<Established, HandledConnection> handler, Runnable whenRejected) {
        this.limit = limit;
        this.limitName = limitName;
        this.shareName = shareName;
        this.handler = handler;
        this.whenRejected = whenRejected;
    }

    /** Returns the limit of all connections, and the share of each client. */
    public FairLimit limit() {
        return limit;
    }

    /**
     * Admits one more connection of a client, which counts until it is gone. Returns why not, or null when it is
     * admitted.
     */
    @Nullable Rejection admit(PeerOrigin client, EndSignal gone) {
        Rejection rejection = stopping ? new Rejection(UcxStatus.BUSY, "the server is stopping") : reserve(client);
        if (rejection == null) {
            gone.listen(() -> limit.release(client));
        } else {
            whenRejected.run();
        }
        return rejection;
    }

    private @Nullable Rejection reserve(PeerOrigin client) {
        return switch (limit.tryAcquire(client)) {
            case ACQUIRED -> null;
            case LIMIT_REACHED -> new Rejection(UcxStatus.EXCEEDS_LIMIT,
                    "the server has as many connections as its " + limitName + " " + limit.limit() + " allows");
            case SHARE_REACHED -> new Rejection(UcxStatus.EXCEEDS_LIMIT, client
                    + " has as many connections as the server's " + shareName + " " + limit.share() + " allows");
        };
    }

    /** Hands a connection to the application; when its handler ends, the connection is closed. Thread: engine. */
    void run(Established accepted) {
        ConnectionCore connection = accepted.connection();
        connection.protocols().accepted();
        HandledConnection handled = handle(accepted);
        running.put(connection, handled);
        Runnable cancel = handled.handler().start(() -> closeGracefully(connection, false), error -> {
            if (!isEndOfConnection(error)) {
                failures.warn("[" + connection.name() + "] the handler failed: " + error, null);
            }
            LOG.debug("[{}] the handler failed", connection.name(), error);
            closeGracefully(connection, true);
        });
        connection.end().listen(() -> {
            cancel.run();
            running.remove(connection);
        });
        if (stopping) {
            handled.windUp().run();
        }
    }

    /** The loss of a peer fails the handler's operations in flight, and is no fault of the handler. */
    public static boolean isEndOfConnection(Throwable error) {
        return error instanceof UcxException end && (end instanceof UcxClosedException || end.isConnectionLost());
    }

    private HandledConnection handle(Established accepted) {
        try {
            return handler.apply(accepted);
        } catch (Throwable t) {
            JvmErrors.rethrowIfOutOfMemory(t);
            return new HandledConnection((completed, failed) -> {
                failed.accept(t);
                return () -> { };
            }, () -> { });
        }
    }

    /** Closes a connection after the handler's end, of which its protocols learn before. */
    private static void closeGracefully(ConnectionCore connection, boolean failed) {
        connection.execute(worker -> {
            connection.protocols().handlerEnded(failed);
            connection.beginClose(CloseMode.FLUSH);
        });
    }

    /**
     * Asks all handlers to end; completes when their connections are gone, or when the grace period ends. The handlers
     * that run then are interrupted by what the caller does next, which is to close their connections.
     */
    public CompletableFuture<@Nullable Void> stop() {
        stopping = true;
        running.values().forEach(handled -> handled.windUp().run());
        return CompletableFuture.anyOf(allGone(), gracePeriodEnd).<@Nullable Void>thenApply(ignored -> {
            running.keySet().forEach(connection -> connection.execute(worker ->
                    connection.protocols().handlerInterrupted()));
            return null;
        });
    }

    private CompletableFuture<Void> allGone() {
        return CompletableFuture.allOf(running.keySet().stream().map(connection -> {
            CompletableFuture<Boolean> gone = new CompletableFuture<>();
            connection.end().listen(() -> gone.complete(true));
            return gone;
        }).toArray(CompletableFuture[]::new));
    }

    /** Ends the grace period now. */
    public void endGracePeriod() {
        gracePeriodEnd.complete(null);
    }

    /** Closes the remaining connections by force. */
    public void force() {
        if (!running.isEmpty()) {
            LOG.warn("{} connections have not ended within the server's timeout and are closed by force",
                    running.size());
        }
        running.keySet().forEach(connection -> connection.close(CloseMode.FORCE));
    }
}
