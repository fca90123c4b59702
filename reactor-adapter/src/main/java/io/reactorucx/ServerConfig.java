package io.reactorucx;

import io.reactorucx.internal.concurrent.ContainedPublisher;
import io.reactorucx.internal.request.ObservedPublisher;
import io.reactorucx.message.UcxObserver;
import io.reactorucx.message.UcxObserver.Activity;
import io.reactorucx.message.UcxResponder;
import io.reactorucx.transport.connect.HandledConnection;
import io.reactorucx.transport.connect.ServerConnections;
import io.reactorucx.transport.handshake.FairLimit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

/** The handler and the responder of a server's connections, the hooks, and the maximum number of connections. */
record ServerConfig(@Nullable Function<? super UcxConnection, ? extends Publisher<Void>> handler,
        @Nullable UcxResponder responder, ConnectionHooks hooks, int maxConnections, int maxConnectionsPerClient) {

    /** In place of a maximum for each client: half of that for all. */
    private static final int HALF = 0;

    static final ServerConfig DEFAULT = new ServerConfig(null, null, ConnectionHooks.NONE, 2048, HALF);

    private static int atLeastOne(int count, String name) {
        if (count < 1) {
            throw new IllegalArgumentException(name + " " + count + ": must be at least 1");
        }
        return count;
    }

    FairLimit limit() {
        return maxConnectionsPerClient == HALF ? new FairLimit(maxConnections)
                : new FairLimit(maxConnections, maxConnectionsPerClient);
    }

    ServerConfig withHandler(Function<? super UcxConnection, ? extends Publisher<Void>> value) {
        return new ServerConfig(value, responder, hooks, maxConnections, maxConnectionsPerClient);
    }

    ServerConfig withResponder(UcxResponder value) {
        return new ServerConfig(handler, value, hooks, maxConnections, maxConnectionsPerClient);
    }

    /** Returns a connection with its handler, which is not started yet. */
    HandledConnection handle(UcxConnection accepted) {
        return new HandledConnection((completed, failed) -> Mono.defer(() -> {
            hooks.announce(accepted);
            return serve(accepted);
        }).subscribe(ignored -> { }, failed, completed)::dispose, accepted::windUp);
    }

    /**
     * Serves a connection. The handler decides when it ends, but for requests that are in progress when the server
     * stops; without a handler, the end is that of the responder, or the server's stop.
     */
    private Mono<Void> serve(UcxConnection connection) {
        Mono<Void> responding = responder == null ? null : connection.respond(responder);
        if (handler == null) {
            return responding == null ? connection.onClosing() : responding;
        }
        // The responder first, so that it is there when the handler runs.
        Mono<Void> handled = observed(connection, handler).doOnError(error -> {
            if (!ServerConnections.isEndOfConnection(error)) {
                hooks.runHandlerFailed(connection, error);
            }
        });
        return responding == null ? handled
                : handled.takeUntilOther(responding.then(Mono.never())).then(connection.requestsInProgress());
    }

    private Mono<Void> observed(UcxConnection connection,
            Function<? super UcxConnection, ? extends Publisher<Void>> called) {
        UcxObserver observer = hooks.observer();
        return observer == null ? new ContainedPublisher<>(Mono.defer(() -> Mono.from(called.apply(connection)))).then()
                : ObservedPublisher.flux(observer, new Activity(Activity.Kind.HANDLER, "connection", connection.peer()),
                null, span -> called.apply(connection)).then();
    }

    ServerConfig withHooks(ConnectionHooks value) {
        return new ServerConfig(handler, responder, value, maxConnections, maxConnectionsPerClient);
    }

    ServerConfig withMaxConnections(int value) {
        return new ServerConfig(handler, responder, hooks, atLeastOne(value, "maxConnections"),
                maxConnectionsPerClient);
    }

    ServerConfig withMaxConnectionsPerClient(int value) {
        return new ServerConfig(handler, responder, hooks, maxConnections,
                atLeastOne(value, "maxConnectionsPerClient"));
    }
}
