package io.reactorucx.internal.connect;

import io.reactorucx.ServerConfig;
import io.reactorucx.UcxConnection;
import io.reactorucx.connection.ConnectionCounters;
import io.reactorucx.core.CloseMode;
import io.reactorucx.core.UcxClosedException;
import io.reactorucx.core.UcxException;
import io.reactorucx.core.UcxStatus;
import io.reactorucx.internal.handshake.Rejection;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * The connections that a server has taken, each with its handler, and the stop that waits for them. From any thread.
 */
public final class ServerConnections {

    private static final Logger LOG = LoggerFactory.getLogger(ServerConnections.class);

    private final ServerConfig handling;
    private final ConnectionCounters counters;
    private final AtomicInteger admitted = new AtomicInteger();
    private final Set<UcxConnection> running = ConcurrentHashMap.newKeySet();
    private final Sinks.Empty<Void> urged = Sinks.empty();
    private volatile boolean stopping;

    public ServerConnections(ServerConfig handling, ConnectionCounters counters) {
        this.handling = handling;
        this.counters = counters;
    }

    public int maxConnections() {
        return handling.maxConnections();
    }

    /** Takes one more connection in, which counts until it is gone, or says why not. */
    @Nullable Rejection admit(Mono<Void> gone) {
        int max = handling.maxConnections();
        Rejection rejection = null;
        if (stopping) {
            rejection = new Rejection(UcxStatus.BUSY, "the server is stopping");
        } else if (admitted.getAndUpdate(count -> count < max ? count + 1 : count) >= max) {
            rejection = new Rejection(UcxStatus.EXCEEDS_LIMIT,
                    "the server has as many connections as its maxConnections " + max + " allows");
        }
        if (rejection == null) {
            gone.subscribe(ignored -> { }, error -> { }, admitted::decrementAndGet);
        } else {
            counters.rejected();
        }
        return rejection;
    }

    /** Hands a connection to the user; when the handler ends, the connection is closed. On its engine's thread. */
    void run(UcxConnection accepted) {
        running.add(accepted);
        Mono<Void> handled;
        try {
            handling.hooks().announce(accepted);
            handled = Mono.from(handling.handler().apply(accepted));
        } catch (RuntimeException e) {
            handled = Mono.error(e);
        }
        Disposable handler = handled.subscribe(ignored -> { }, error -> {
            // That a peer leaves is no fault of the handler, which hears of it from whatever it has under way.
            if (!(error instanceof UcxException end && (end instanceof UcxClosedException || end.isConnectionLost()))) {
                LOG.warn("[{}] its handler failed: {}", accepted.peer(), error.toString());
            }
            LOG.debug("[{}] its handler failed", accepted.peer(), error);
            accepted.dispose();
        }, accepted::dispose);
        accepted.onDispose().subscribe(ignored -> { }, error -> { }, () -> {
            handler.dispose();
            running.remove(accepted);
        });
        if (stopping) {
            accepted.windUp();
        }
    }

    /**
     * Asks all handlers to come to their end, and completes when their connections are gone, or after the time that
     * they have.
     */
    public Mono<Void> stop(Duration gracePeriod) {
        return Mono.defer(() -> {
            stopping = true;
            running.forEach(UcxConnection::windUp);
            if (gracePeriod.isZero()) {
                return Mono.empty();
            }
            Mono<Void> gone = Flux.fromIterable(running).flatMap(UcxConnection::onDispose, Integer.MAX_VALUE).then();
            return Mono.firstWithSignal(gone, Mono.delay(gracePeriod).then(), urged.asMono());
        });
    }

    /** The time that handlers have is over at once. */
    public void urge() {
        urged.tryEmitEmpty();
    }

    /** What is still there goes by force. */
    public void force() {
        if (!running.isEmpty()) {
            LOG.warn("{} connections did not end within the time of the server's stop and are closed by force",
                    running.size());
        }
        running.forEach(connection -> connection.close(CloseMode.FORCE).subscribe());
    }
}
