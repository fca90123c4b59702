package io.reactorucx.transport.connect;

/** Connects to a peer. Thread: any. */
@FunctionalInterface
public interface Connector {

    /** Begins to connect; the result cancels that. */
    Runnable connect(ConnectCallback callback);
}
