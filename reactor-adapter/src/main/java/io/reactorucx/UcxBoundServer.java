package io.reactorucx;

import io.reactorucx.internal.connect.EndpointAcceptor;
import io.reactorucx.internal.socket.BoundListener;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

/**
 * A server that listens.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> closing it closes its connections and the listener.
 * <b>Errors:</b> none of its own.
 */
public final class UcxBoundServer implements Disposable {

    private static final Duration LONGEST = Duration.ofHours(1);

    private final EndpointAcceptor acceptor;
    private final BoundListener listening;
    private final Sinks.Empty<Void> disposed = Sinks.empty();
    private final AtomicBoolean disposing = new AtomicBoolean();

    UcxBoundServer(EndpointAcceptor acceptor, BoundListener listening) {
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

    /** {@return most connections at a time} */
    public int maxConnections() {
        return acceptor.handlers().maxConnections();
    }

    /** {@return connections that are open now} */
    public int connections() {
        return acceptor.connections();
    }

    /**
     * Takes no more clients and closes the connections in good order. One for raw peers rejects new clients first, and
     * stops listening when none has come for 100 ms.
     *
     * @return completes when all is closed
     */
    public Mono<Void> close() {
        return Mono.defer(() -> {
            acceptor.handlers().endGracePeriod();
            return stop(Duration.ZERO, Disposables.disposed());
        });
    }

    /**
     * Stops in good order and in a time that is known beforehand: rejects new clients, asks the handlers to come to
     * their end ({@link UcxConnection#onClosing()}) and lets them, then closes the connections that are left in good
     * order, and by force those that are there when the time is over. {@link #close()} ends the wait for handlers at
     * once; another call of this method changes nothing.
     *
     * @param gracePeriod how long handlers may go on, at least 0 and at most the timeout
     * @param timeout when force is used, counted from the subscription; at least 1 ms and at most an hour
     * @return completes when all is closed
     */
    public Mono<Void> disposeLater(Duration gracePeriod, Duration timeout) {
        Objects.requireNonNull(gracePeriod, "gracePeriod");
        Objects.requireNonNull(timeout, "timeout");
        if (timeout.compareTo(Duration.ofMillis(1)) < 0 || timeout.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("timeout " + timeout + ": must be in 1 ms.." + LONGEST);
        }
        if (gracePeriod.isNegative() || gracePeriod.compareTo(timeout) > 0) {
            throw new IllegalArgumentException("gracePeriod " + gracePeriod + ": must be in 0..timeout, " + timeout);
        }
        return Mono.defer(() -> stop(gracePeriod, Schedulers.parallel()
                .schedule(acceptor.handlers()::force, timeout.toMillis(),
                TimeUnit.MILLISECONDS)));
    }

    private Mono<Void> stop(Duration gracePeriod, Disposable force) {
        if (disposing.compareAndSet(false, true)) {
            // Each step whatever became of the one before: an engine that is closed has closed what is its own.
            listening.refuse().then(acceptor.handlers().stop(gracePeriod)).then(acceptor.close().onErrorComplete())
                    .then(listening.close()).doFinally(end -> force.dispose())
                    .subscribe(ignored -> { }, error -> disposed.tryEmitEmpty(), disposed::tryEmitEmpty);
        } else {
            force.dispose();
        }
        return disposed.asMono();
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
