package io.reactorucx;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * A server that listens.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> closing it closes its connections and the listener.
 * <b>Errors:</b> none of its own.
 */
public final class UcxBoundServer implements Disposable {

    private final ServerAcceptor acceptor;
    private final Listening listening;
    private final Sinks.Empty<Void> disposed = Sinks.empty();
    private final AtomicBoolean disposing = new AtomicBoolean();

    UcxBoundServer(ServerAcceptor acceptor, Listening listening) {
        this.acceptor = acceptor;
        this.listening = listening;
    }

    /** {@return where it listens} */
    public InetSocketAddress address() {
        return listening.address();
    }

    /** {@return the port} */
    public int port() {
        return listening.address().getPort();
    }

    /** {@return connections that are open now} */
    public int connections() {
        return acceptor.connections();
    }

    /**
     * Takes no more clients and closes the connections in good order. One for raw peers rejects new clients first, and stops listening when
     * none has come for 100 ms.
     *
     * @return completes when all is closed
     */
    public Mono<Void> close() {
        return Mono.defer(() -> {
            if (disposing.compareAndSet(false, true)) {
                // Each step whatever became of the one before: an engine that is closed has closed what is its own.
                listening.refuse().then(acceptor.close().onErrorComplete()).then(listening.close())
                        .subscribe(ignored -> { }, error -> disposed.tryEmitEmpty(), disposed::tryEmitEmpty);
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
     * @param timeout longest wait, more than 0
     */
    public void disposeNow(Duration timeout) {
        Blocking.await(close(), timeout, "disposeNow");
    }

    @Override
    public boolean isDisposed() {
        return disposing.get();
    }

    /** {@return completes when it is closed} */
    public Mono<Void> onDispose() {
        return disposed.asMono();
    }
}
