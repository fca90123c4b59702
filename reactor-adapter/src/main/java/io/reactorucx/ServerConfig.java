package io.reactorucx;

import io.reactorucx.internal.concurrent.ContainedPublisher;
import io.reactorucx.internal.connect.ServerConnections;
import io.reactorucx.internal.request.ObservedPublisher;
import io.reactorucx.message.UcxObserver;
import io.reactorucx.message.UcxObserver.Activity;
import io.reactorucx.message.UcxResponder;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

/** The handler and the responder of a server's connections, the hooks, and the maximum number of connections. */
record ServerConfig(@Nullable Function<? super UcxConnection, ? extends Publisher<Void>> handler,
        @Nullable UcxResponder responder, ConnectionHooks hooks, int maxConnections) {

    static final ServerConfig DEFAULT = new ServerConfig(null, null, ConnectionHooks.NONE, 1024);

    ServerConfig {
        if (maxConnections < 1) {
            throw new IllegalArgumentException("maxConnections " + maxConnections + ": must be at least 1");
        }
    }

    ServerConfig withHandler(Function<? super UcxConnection, ? extends Publisher<Void>> value) {
        return new ServerConfig(value, responder, hooks, maxConnections);
    }

    ServerConfig withResponder(UcxResponder value) {
        return new ServerConfig(handler, value, hooks, maxConnections);
    }

    /**
     * Serves a connection. The handler decides when it ends, but for requests that are in progress when the server
     * stops; without a handler, the end is that of the responder, or the server's stop.
     */
    Mono<Void> serve(UcxConnection connection) {
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
        return new ServerConfig(handler, responder, value, maxConnections);
    }

    ServerConfig withMaxConnections(int value) {
        return new ServerConfig(handler, responder, hooks, value);
    }
}
