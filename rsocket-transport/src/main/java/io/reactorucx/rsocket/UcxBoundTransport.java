package io.reactorucx.rsocket;

import io.reactorucx.UcxBoundServer;
import io.rsocket.Closeable;
import java.net.InetSocketAddress;
import reactor.core.publisher.Mono;

/**
 * A server transport that listens.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> {@link #dispose()} closes the listener and all connections; for a
 * stop with a grace period use {@link UcxBoundServer#disposeLater} of {@link #server()}. <b>Errors:</b> those of
 * {@link #onClose()}.
 */
public final class UcxBoundTransport implements Closeable {

    private final UcxBoundServer server;
    private final TransportCounters counters;

    UcxBoundTransport(UcxBoundServer server, TransportCounters counters) {
        this.server = server;
        this.counters = counters;
    }

    /** {@return the address at which the transport listens} */
    public InetSocketAddress address() {
        return server.address();
    }

    /** {@return the server under this transport} */
    public UcxBoundServer server() {
        return server;
    }

    /** {@return the state of the accepted connections} */
    public UcxTransportStatistics statistics() {
        return counters.snapshot();
    }

    @Override
    public void dispose() {
        server.dispose();
    }

    @Override
    public boolean isDisposed() {
        return server.isDisposed();
    }

    /**
     * {@return completes when listener and connections are closed; fails, after that, when a part of the server has
     * failed}
     */
    @Override
    public Mono<Void> onClose() {
        return server.onDispose();
    }

    @Override
    public String toString() {
        return "UcxBoundTransport[" + server + "]";
    }
}
