package io.reactorucx;

import io.reactorucx.core.UcpListener;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
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

    private static final Logger LOG = LoggerFactory.getLogger(UcxBoundServer.class);

    /** How long nobody may have tried to connect before the listener goes, and how often that is looked at. */
    private static final Duration QUIET = Duration.ofMillis(100);
    private static final int MOST_LOOKS = 20;

    private final ServerAcceptor acceptor;
    private final ConnectionRegistry listening;
    private final UcpListener listener;
    private final Sinks.Empty<Void> disposed = Sinks.empty();
    private final AtomicBoolean disposing = new AtomicBoolean();

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

    private Mono<Void> onListener(Consumer<UcpListener> action) {
        return InsistentCommand.mono(listening.engine(), worker -> {
            action.accept(listener);
            return listener;
        }).then().doOnError(error -> LOG.debug("A step of the close of the server at {} failed", address(), error)).onErrorComplete();
    }

    private Mono<Void> noMoreClients() {
        Mono<Long> rejected = InsistentCommand.mono(listening.engine(), worker -> listener.rejectedRequests());
        return rejected.delayElement(QUIET).zipWhen(before -> rejected, Long::equals)
                .repeat(MOST_LOOKS - 1).takeUntil(Boolean::booleanValue).then();
    }

    /**
     * Rejects new clients, closes the connections in good order, and stops listening when no client has come for 100 ms.
     *
     * @return completes when all is closed
     */
    public Mono<Void> close() {
        return Mono.defer(() -> {
            if (disposing.compareAndSet(false, true)) {
                // Each step whatever became of the one before: an engine that is closed has closed what is its own.
                onListener(UcpListener::refuse).then(acceptor.close().onErrorComplete()).then(noMoreClients().onErrorComplete())
                        .then(onListener(UcpListener::close))
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
