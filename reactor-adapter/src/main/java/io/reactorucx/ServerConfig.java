package io.reactorucx;

import java.util.function.Function;
import org.reactivestreams.Publisher;

/** The handler of a server's connections, the hooks, and the maximum number of connections. */
record ServerConfig(Function<? super UcxConnection, ? extends Publisher<Void>> handler, ConnectionHooks hooks,
        int maxConnections) {

    static final ServerConfig DEFAULT = new ServerConfig(UcxConnection::onClosing, ConnectionHooks.NONE, 1024);

    ServerConfig {
        if (maxConnections < 1) {
            throw new IllegalArgumentException("maxConnections " + maxConnections + ": at least 1");
        }
    }

    ServerConfig withHandler(Function<? super UcxConnection, ? extends Publisher<Void>> value) {
        return new ServerConfig(value, hooks, maxConnections);
    }

    ServerConfig withHooks(ConnectionHooks value) {
        return new ServerConfig(handler, value, maxConnections);
    }

    ServerConfig withMaxConnections(int value) {
        return new ServerConfig(handler, hooks, value);
    }
}
