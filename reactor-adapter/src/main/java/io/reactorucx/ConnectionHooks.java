package io.reactorucx;

import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What users want to be told of connections; immutable. */
record ConnectionHooks(Consumer<? super UcxConnection> connected, Consumer<? super UcxConnection> disconnected) {

    private static final Logger LOG = LoggerFactory.getLogger(ConnectionHooks.class);

    static final ConnectionHooks NONE = new ConnectionHooks(connection -> { }, connection -> { });

    /** The hooks that are there go first. */
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

    /** Tells of a new connection, and later of its end. One whose hook throws is closed, and the error thrown on. */
    UcxConnection announce(UcxConnection connection) {
        connection.onDispose().subscribe(ignored -> { }, error -> { }, () -> tellEnd(connection));
        try {
            connected.accept(connection);
        } catch (RuntimeException e) {
            connection.dispose();
            throw e;
        }
        return connection;
    }

    private void tellEnd(UcxConnection connection) {
        try {
            disconnected.accept(connection);
        } catch (RuntimeException e) {
            LOG.warn("[{}] a doOnDisconnected failed", connection.peer(), e);
        }
    }
}
