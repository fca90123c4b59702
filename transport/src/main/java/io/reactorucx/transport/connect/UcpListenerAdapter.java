package io.reactorucx.transport.connect;

import io.reactorucx.core.UcpListener;
import io.reactorucx.transport.command.EngineFuture;
import io.reactorucx.transport.connection.EngineConnections;
import io.reactorucx.transport.socket.BoundListener;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A listener of UCX, for raw peers.
 *
 * <p>Thread: any.
 */
record UcpListenerAdapter(EngineConnections connections, UcpListener listener) implements BoundListener {

    private static final Logger LOG = LoggerFactory.getLogger(UcpListenerAdapter.class);

    /** The listener closes after a poll interval without a connection request, or after the last poll. */
    private static final long POLL_MILLIS = 100;
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
        return onListener(UcpListener::refuse);
    }

    @Override
    public CompletableFuture<@Nullable Void> close() {
        return untilNoRequests(MAX_POLLS).exceptionally(error -> true)
                .thenCompose(ignored -> onListener(UcpListener::close));
    }

    private CompletableFuture<@Nullable Void> onListener(Consumer<UcpListener> action) {
        return EngineFuture.runRetried(connections.engine(), worker -> action.accept(listener))
                .exceptionally(error -> {
                    LOG.debug("Closing the listener at {} failed", address(), error);
                    return null;
                });
    }

    private CompletableFuture<Boolean> untilNoRequests(int polls) {
        return rejected().thenCompose(before -> new CompletableFuture<Boolean>()
                .completeOnTimeout(true, POLL_MILLIS, TimeUnit.MILLISECONDS).thenCompose(ignored -> rejected())
                .thenCompose(after -> after.equals(before) || polls == 1 ? CompletableFuture.completedFuture(true)
                        : untilNoRequests(polls - 1)));
    }

    private CompletableFuture<Long> rejected() {
        return EngineFuture.callRetried(connections.engine(), worker -> listener.rejectedRequests());
    }
}
