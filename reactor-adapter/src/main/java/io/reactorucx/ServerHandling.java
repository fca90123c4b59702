package io.reactorucx;

import java.util.function.Function;
import org.reactivestreams.Publisher;

/** What a server does with its connections, and how many it takes; immutable. */
record ServerHandling(Function<? super UcxConnection, ? extends Publisher<Void>> handler, ConnectionHooks hooks, int maxConnections) {

    static final ServerHandling DEFAULT = new ServerHandling(UcxConnection::onClosing, ConnectionHooks.NONE, 1024);

    ServerHandling {
        if (maxConnections < 1) {
            throw new IllegalArgumentException("maxConnections " + maxConnections + ": at least 1");
        }
    }

    ServerHandling withHandler(Function<? super UcxConnection, ? extends Publisher<Void>> value) {
        return new ServerHandling(value, hooks, maxConnections);
    }

    ServerHandling withHooks(ConnectionHooks value) {
        return new ServerHandling(handler, value, maxConnections);
    }

    ServerHandling withMaxConnections(int value) {
        return new ServerHandling(handler, hooks, value);
    }
}
