package io.reactorucx;

import io.reactorucx.internal.concurrent.ApplicationErrors;
import io.reactorucx.message.UcxObserver;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The application's callbacks for new and ended connections and for errors of handlers, and its observer. */
record ConnectionHooks(Consumer<? super UcxConnection> connected, Consumer<? super UcxConnection> disconnected,
        BiConsumer<? super UcxConnection, ? super Throwable> handlerFailed, @Nullable UcxObserver observer) {

    private static final Logger LOG = LoggerFactory.getLogger(ConnectionHooks.class);

    static final ConnectionHooks NONE = new ConnectionHooks(connection -> { }, connection -> { },
            (connection, error) -> { }, null);

    /** Returns hooks that run another action after these. */
    ConnectionHooks andConnected(Consumer<? super UcxConnection> next) {
        return new ConnectionHooks(connection -> {
            connected.accept(connection);
            next.accept(connection);
        }, disconnected, handlerFailed, observer);
    }

    ConnectionHooks andDisconnected(Consumer<? super UcxConnection> next) {
        return new ConnectionHooks(connected, connection -> {
            disconnected.accept(connection);
            next.accept(connection);
        }, handlerFailed, observer);
    }

    ConnectionHooks andHandlerFailed(BiConsumer<? super UcxConnection, ? super Throwable> next) {
        return new ConnectionHooks(connected, disconnected, (connection, error) -> {
            handlerFailed.accept(connection, error);
            next.accept(connection, error);
        }, observer);
    }

    ConnectionHooks withObserver(UcxObserver value) {
        return new ConnectionHooks(connected, disconnected, handlerFailed, value);
    }

    /** Runs the hooks for a new connection, and later for its end. A connection whose hook throws is closed. */
    UcxConnection announce(UcxConnection connection) {
        connection.onDispose().subscribe(ignored -> { }, error -> { }, () -> runDisconnected(connection));
        try {
            connected.accept(connection);
        } catch (Throwable t) {
            connection.dispose();
            throw ApplicationErrors.exception(t);
        }
        return connection;
    }

    private void runDisconnected(UcxConnection connection) {
        try {
            disconnected.accept(connection);
        } catch (Throwable t) {
            ApplicationErrors.rethrowIfOutOfMemory(t);
            LOG.warn("[{}] an action of doOnDisconnected failed", connection.logName(),
                    ApplicationErrors.printable(t));
        }
    }

    /** Runs the hooks for an error of a handler or responder. */
    void runHandlerFailed(UcxConnection connection, Throwable error) {
        try {
            handlerFailed.accept(connection, ApplicationErrors.original(error));
        } catch (Throwable t) {
            ApplicationErrors.rethrowIfOutOfMemory(t);
            LOG.warn("[{}] an action of doOnHandlerError failed", connection.logName(),
                    ApplicationErrors.printable(t));
        }
    }
}
