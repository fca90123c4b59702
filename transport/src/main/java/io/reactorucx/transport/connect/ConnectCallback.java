package io.reactorucx.transport.connect;

/** Gets the outcome of a connect, once; nothing after a cancel. Thread: socket loop or engine. */
public interface ConnectCallback {

    void connected(Established established);

    void failed(Throwable error);
}
