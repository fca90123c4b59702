package io.reactorucx;

import io.reactorucx.core.UcpListener;
import java.net.InetSocketAddress;
import java.time.Duration;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * A server that listens.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> closing it closes the listener and then its connections.
 * <b>Errors:</b> none of its own.
 */
public final class UcxBoundServer implements Disposable {

    private final ServerAcceptor acceptor;
    private final ConnectionRegistry listening;
    private final UcpListener listener;
    private final Sinks.Empty<Void> disposed = Sinks.empty();
    private volatile boolean disposing;

    UcxBoundServer(ServerAcceptor acceptor, ConnectionRegistry listening, UcpListener listener) {
        this.acceptor = acceptor;
        this.listening = listening;
        this.listener = listener;
    }

    /** {@return where it listens} */
    public InetSocketAddress address() {
        return listener.address();
    }

    /** {@return the port} */
    public int port() {
        return listener.address().getPort();
    }

    /** {@return connections that are open now} */
    public int connections() {
        return acceptor.connections();
    }

    /**
     * Stops listening, then closes the connections in good order.
     *
     * @return completes when all is closed
     */
    public Mono<Void> close() {
        return Mono.defer(() -> {
            if (!disposing) {
                disposing = true;
                UcxResources.onEngine(listening.engine(), worker -> {
                    listener.close();
                    return listener;
                }).onErrorComplete().then(acceptor.close()).subscribe(ignored -> { }, error -> disposed.tryEmitEmpty(),
                        disposed::tryEmitEmpty);
            }
            return disposed.asMono();
        });
    }

    @Override
    public void dispose() {
        close().subscribe();
    }

    /** Closes and waits, at most 10 s. */
    public void disposeNow() {
        disposeNow(Duration.ofSeconds(10));
    }

    /**
     * Closes and waits.
     *
     * @param timeout longest wait
     */
    public void disposeNow(Duration timeout) {
        close().block(timeout);
    }

    @Override
    public boolean isDisposed() {
        return disposing;
    }

    /** {@return completes when it is closed} */
    public Mono<Void> onDispose() {
        return disposed.asMono();
    }
}
