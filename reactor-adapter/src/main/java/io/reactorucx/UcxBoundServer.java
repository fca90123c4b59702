package io.reactorucx;

import io.reactorucx.internal.concurrent.EndMono;
import io.reactorucx.internal.concurrent.FutureMono;
import io.reactorucx.internal.concurrent.UncancelledMono;
import io.reactorucx.transport.config.ConnectionConfig;
import io.reactorucx.transport.config.DeviceNeed;
import io.reactorucx.transport.connect.EndpointAcceptor;
import io.reactorucx.transport.connect.EngineResources;
import io.reactorucx.transport.connect.Established;
import io.reactorucx.transport.connect.HandledConnection;
import io.reactorucx.transport.connect.ServerConnections;
import io.reactorucx.transport.socket.BoundListener;
import io.reactorucx.transport.socket.PeerName;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.Scannable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

/**
 * A listening server.
 *
 * <p>A server ends by itself when its listener, the thread for sockets or an engine of its resources fails: it closes
 * its connections, and {@link #onDispose()} fails with the error. After a failure of the listener or of the thread for
 * sockets, another server can be bound on the same resources; after that of an engine, only on new ones.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> closing the server closes its connections and the listener.
 * <b>Errors:</b> those of {@link #onDispose()}; {@link #close()} and {@link #disposeLater} complete in any case.
 */
public final class UcxBoundServer implements Disposable {

    private static final Logger LOG = LoggerFactory.getLogger(UcxBoundServer.class);
    private static final Duration MAX_TIMEOUT = Duration.ofHours(1);

    private final EndpointAcceptor acceptor;
    private final BoundListener listener;
    private final Sinks.Empty<Void> disposed = Sinks.empty();
    private final AtomicBoolean disposing = new AtomicBoolean();
    private final Disposable.Swap failures = Disposables.swap();
    private volatile @Nullable Throwable failure;

    UcxBoundServer(EndpointAcceptor acceptor, BoundListener listener) {
        this.acceptor = acceptor;
        this.listener = listener;
        failures.update(Mono.firstWithSignal(Mono.fromFuture(listener.failure(), true), EndMono.of(acceptor.failure()))
                .subscribe(ignored -> { }, this::failed));
    }

    private void failed(Throwable error) {
        if (!disposing.get()) {
            LOG.error("{}: the server ends, because a part of it has failed: {}", PeerName.of(address()),
                    error.toString());
            failure = error;
            close().subscribe();
        }
    }

    /** {@return the address that the server listens at} */
    public InetSocketAddress address() {
        return listener.address();
    }

    /** {@return the port that the server listens at} */
    public int port() {
        return listener.address().getPort();
    }

    /** {@return the maximum number of connections} */
    public int maxConnections() {
        return (int) acceptor.handlers().limit().limit();
    }

    /** {@return the number of open connections} */
    public int connections() {
        return acceptor.connections();
    }

    /**
     * Rejects new clients, closes the connections gracefully, and closes the listener. A listener for raw peers closes
     * after 100 ms without a new client.
     *
     * @return completes when connections and listener are closed
     */
    public Mono<Void> close() {
        return Mono.defer(() -> {
            acceptor.handlers().endGracePeriod();
            return stop(Disposables::disposed);
        });
    }

    /**
     * Stops gracefully within a limited time: rejects new clients and, as retryable
     * ({@link io.reactorucx.message.UcxRequestException.Reason#REFUSED}), new requests, asks the handlers to end
     * ({@link UcxConnection#onClosing()}), and closes each connection as soon as neither a handler nor a request is in
     * progress there. After the grace period it closes the remaining connections gracefully, and after the timeout by
     * force. {@link #close()} ends the grace period at once; a second call of this method has no effect.
     *
     * @param gracePeriod how long handlers and requests may go on, 0 to the timeout
     * @param timeout the time from the subscription until connections are closed by force, 1 ms to 1 h
     * @return completes when connections and listener are closed
     */
    public Mono<Void> disposeLater(Duration gracePeriod, Duration timeout) {
        Objects.requireNonNull(gracePeriod, "gracePeriod");
        Objects.requireNonNull(timeout, "timeout");
        if (timeout.compareTo(Duration.ofMillis(1)) < 0 || timeout.compareTo(MAX_TIMEOUT) > 0) {
            throw new IllegalArgumentException("timeout " + timeout + ": must be in 1 ms.." + MAX_TIMEOUT);
        }
        if (gracePeriod.isNegative() || gracePeriod.compareTo(timeout) > 0) {
            throw new IllegalArgumentException("gracePeriod " + gracePeriod + ": must be in 0..timeout, " + timeout);
        }
        return Mono.defer(() -> stop(() -> Disposables.composite(
                after(gracePeriod, acceptor.handlers()::endGracePeriod), after(timeout, acceptor.handlers()::force))));
    }

    private static Disposable after(Duration delay, Runnable action) {
        if (delay.isZero()) {
            action.run();
            return Disposables.disposed();
        }
        return Schedulers.parallel().schedule(action, delay.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Stops, once; the timers of the first call end with that. */
    private Mono<Void> stop(Supplier<Disposable> started) {
        if (disposing.compareAndSet(false, true)) {
            Disposable timers = started.get();
            listener.refuse().thenCompose(refused -> acceptor.handlers().stop())
                    .thenCompose(stopped -> acceptor.close()).thenCompose(closed -> listener.close())
                    .whenComplete((ignored, error) -> {
                        timers.dispose();
                        closed();
                    });
        }
        return disposed.asMono().onErrorComplete();
    }

    private void closed() {
        failures.dispose();
        Throwable cause = failure;
        if (cause == null) {
            disposed.tryEmitEmpty();
        } else {
            disposed.tryEmitError(cause);
        }
    }

    @Override
    public void dispose() {
        close().subscribe();
    }

    /** Closes the server and waits for at most 10 s. */
    public void disposeNow() {
        disposeNow(Duration.ofSeconds(10));
    }

    /**
     * Closes the server and waits.
     *
     * @param timeout the longest wait, more than 0
     */
    public void disposeNow(Duration timeout) {
        Blocking.awaitEnd(close(), timeout, "disposeNow", this);
    }

    @Override
    public boolean isDisposed() {
        return disposing.get();
    }

    /**
     * {@return completes when the server is closed; fails, after its connections have ended, when a part of it has
     * failed}
     */
    public Mono<Void> onDispose() {
        return disposed.asMono();
    }

    @Override
    public String toString() {
        String state = !disposing.get() ? "listening"
                : disposed.scanOrDefault(Scannable.Attr.TERMINATED, false) ? "closed" : "closing";
        return "UcxBoundServer[" + PeerName.of(address()) + ", " + state + ", connections=" + connections() + "]";
    }

    /** The bind of a server, once for each subscriber. */
    record Binding(UcxResources resources, ConnectionConfig config, InetSocketAddress address,
            int maxPendingHandshakes, boolean acceptWorkerAddresses, ServerConfig handling) {

        Mono<UcxBoundServer> bind() {
            return UncancelledMono.ofUnabortable(Mono.defer(() -> {
                config.checkSecured(acceptWorkerAddresses);
                if (address.isUnresolved()) {
                    return Mono.error(new IllegalArgumentException("bindAddress " + address
                            + ": the host name has no known address"));
                }
                ServerConnections connections = new ServerConnections(handling.limit(), "maxConnections",
                        "maxConnectionsPerClient", this::handle, resources.counters()::rejected);
                return FutureMono.of(() -> resources.reaching(need()).thenCompose(engines -> {
                    EndpointAcceptor acceptor = new EndpointAcceptor(engines, config, maxPendingHandshakes,
                            acceptWorkerAddresses, connections, followsClients() ? this::reaching : null);
                    return acceptor.bind(address).thenApply(listener -> new UcxBoundServer(acceptor, listener));
                })).doOnNext(server -> resources.counters()
                        .addServer(server.acceptor, server.close(), server.onDispose()));
            }), UcxBoundServer::dispose);
        }

        private DeviceNeed need() {
            return followsClients() ? DeviceNeed.ofServerOfAll(address, resources.usesTcpWithinHost())
                    : DeviceNeed.ofServer(address, config.raw() || resources.usesTcpWithinHost());
        }

        /** Returns whether each client gets engines that use the network device by which it has come. */
        private boolean followsClients() {
            return address.getAddress().isAnyLocalAddress() && !config.raw() && !acceptWorkerAddresses
                    && resources.followsAddresses();
        }

        private CompletableFuture<EngineResources> reaching(InetSocketAddress local, InetSocketAddress client) {
            return resources.reaching(DeviceNeed.ofAccepted(local, client, resources.usesTcpWithinHost()));
        }

        private HandledConnection handle(Established established) {
            return handling.handle(new UcxConnection(established, resources, handling.hooks()));
        }
    }
}
