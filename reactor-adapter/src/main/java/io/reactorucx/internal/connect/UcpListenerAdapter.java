package io.reactorucx.internal.connect;

import io.reactorucx.core.UcpListener;
import io.reactorucx.internal.concurrent.EngineCall;
import io.reactorucx.internal.connection.EngineConnections;
import io.reactorucx.internal.socket.BoundListener;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/**
 * A listener of UCX, for raw peers.
 *
 * <p>Thread: any.
 */
record UcpListenerAdapter(EngineConnections connections, UcpListener listener) implements BoundListener {

    private static final Logger LOG = LoggerFactory.getLogger(UcpListenerAdapter.class);

    /** The listener closes after a poll interval without a connection request, or after the last poll. */
    private static final Duration POLL_INTERVAL = Duration.ofMillis(100);
    private static final int MAX_POLLS = 20;

    @Override
    public InetSocketAddress address() {
        return listener.address();
    }

    /** Never ends: UCX reports no failure of a listener but with its worker, whose engine fails then. */
    @Override
    public CompletableFuture<@Nullable Void> failure() {
        return new CompletableFuture<>();
    }

    @Override
    public CompletableFuture<@Nullable Void> refuse() {
        return onListener(UcpListener::refuse).toFuture();
    }

    @Override
    public CompletableFuture<@Nullable Void> close() {
        return untilNoRequests().onErrorComplete().then(onListener(UcpListener::close)).toFuture();
    }

    private Mono<Void> onListener(Consumer<UcpListener> action) {
        return EngineCall.retried(connections.engine(), worker -> {
            action.accept(listener);
            return listener;
        }).then().doOnError(error -> LOG.debug("Closing the listener at {} failed", address(), error))
                .onErrorComplete();
    }

    private Mono<Void> untilNoRequests() {
        Mono<Long> rejected = EngineCall.retried(connections.engine(), worker -> listener.rejectedRequests());
        return rejected.delayElement(POLL_INTERVAL).zipWhen(before -> rejected, Long::equals)
                .repeat(MAX_POLLS - 1).takeUntil(Boolean::booleanValue).then();
    }
}
