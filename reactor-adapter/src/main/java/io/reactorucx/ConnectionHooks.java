package io.reactorucx;

import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The application's callbacks for new and ended connections. */
record ConnectionHooks(Consumer<? super UcxConnection> connected, Consumer<? super UcxConnection> disconnected) {

    private static final Logger LOG = LoggerFactory.getLogger(ConnectionHooks.class);

    static final ConnectionHooks NONE = new ConnectionHooks(connection -> { }, connection -> { });

    /** Returns hooks that run another action after these. */
    ConnectionHooks andConnected(Consumer<? super UcxConnection> next) {
        return new ConnectionHooks(connection -> {
            connected.accept(connection);
            next.accept(connection);
        }, disconnected);
    }

    ConnectionHooks andDisconnected(Consumer<? super UcxConnection> next) {
        return new ConnectionHooks(connected, connection -> {
            disconnected.accept(connection);
            next.accept(connection);
        });
    }

    /** Runs the hooks for a new connection, and later for its end. A connection whose hook throws is closed. */
    UcxConnection announce(UcxConnection connection) {
        connection.onDispose().subscribe(ignored -> { }, error -> { }, () -> runDisconnected(connection));
        try {
            connected.accept(connection);
        } catch (RuntimeException e) {
            connection.dispose();
            throw e;
        }
        return connection;
    }

    private void runDisconnected(UcxConnection connection) {
        try {
            disconnected.accept(connection);
        } catch (RuntimeException e) {
            LOG.warn("[{}] an action of doOnDisconnected failed", connection.peer(), e);
        }
    }
}
