package io.reactorucx.transport.connect;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.transport.command.Cancellation;
import io.reactorucx.transport.command.EngineFuture;
import io.reactorucx.transport.config.ConnectionConfig;
import io.reactorucx.transport.socket.PeerName;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connects to a host and a port. A name is resolved, and its addresses are tried in turn until one connects; each gets
 * an equal part of the time that is left.
 */
public final class AddressConnector implements Connector {

    private static final Logger LOG = LoggerFactory.getLogger(AddressConnector.class);

    private final Function<InetSocketAddress, CompletableFuture<EngineResources>> reaching;
    private final Function<EngineResources, ConnectingEngine> engine;
    private final ConnectionConfig config;
    private final InetSocketAddress remote;

    /** Gets the engines that reach an address, and chooses one of them, for each address that is tried. */
    public AddressConnector(Function<InetSocketAddress, CompletableFuture<EngineResources>> reaching,
            Function<EngineResources, ConnectingEngine> engine, ConnectionConfig config, InetSocketAddress remote) {
        this.reaching = reaching;
        this.engine = engine;
        this.config = config;
        this.remote = remote;
    }

    @Override
    public Runnable connect(ConnectCallback callback) {
        List<InetSocketAddress> addresses;
        try {
            addresses = !remote.isUnresolved() ? List.of(remote)
                    : Stream.of(InetAddress.getAllByName(remote.getHostString()))
                    .map(address -> new InetSocketAddress(address, remote.getPort())).toList();
        } catch (UnknownHostException e) {
            callback.failed(new UcxException(UcxStatus.UNREACHABLE, "connect", PeerName.of(remote),
                    "the host name has no known address: check the name, and the resolver of this host", e));
            return () -> { };
        }
        Attempts attempts = new Attempts(addresses, callback);
        attempts.next();
        return attempts::cancel;
    }

    /** One connect, whose addresses are tried one after the other. */
    private final class Attempts implements ConnectCallback {

        private final List<InetSocketAddress> addresses;
        private final ConnectCallback callback;
        private final long deadlineNanos = System.nanoTime() + config.handshakeTimeout().toNanos();
        private final List<UcxException> failures = new ArrayList<>();
        private final Cancellation cancellation = new Cancellation();

        Attempts(List<InetSocketAddress> addresses, ConnectCallback callback) {
            this.addresses = addresses;
            this.callback = callback;
        }

        void cancel() {
            cancellation.cancel();
        }

        /** Tries the first of the addresses that have not failed yet. */
        void next() {
            InetSocketAddress address = addresses.get(failures.size());
            ConnectionConfig limited = addresses.size() == 1 ? config : config.withHandshakeTimeout(share());
            CompletableFuture<EngineResources> engines;
            try {
                engines = reaching.apply(address);
            } catch (RuntimeException e) {
                failed(e);
                return;
            }
            engines.whenComplete((resources, error) -> {
                if (error != null) {
                    failed(EngineFuture.cause(error));
                } else if (!cancellation.isCancelled()) {
                    connect(resources, address, limited);
                }
            });
        }

        private void connect(EngineResources resources, InetSocketAddress address, ConnectionConfig limited) {
            try {
                Connector connector = limited.raw()
                        ? new EndpointConnector(resources, engine.apply(resources), limited, address, null)
                        : new SocketConnector(resources, engine.apply(resources), limited, address);
                int step = cancellation.begin();
                cancellation.onCancel(step, connector.connect(this));
            } catch (RuntimeException e) {
                failed(e);
            }
        }

        private Duration share() {
            int left = addresses.size() - failures.size();
            return Duration.ofMillis(Math.max(1, (deadlineNanos - System.nanoTime()) / left / 1_000_000));
        }

        @Override
        public void connected(Established established) {
            callback.connected(established);
        }

        @Override
        public void failed(Throwable error) {
            if (addresses.size() == 1 || !(error instanceof UcxException failure)) {
                callback.failed(error);
                return;
            }
            failures.add(failure);
            if (!isUnreached(failure)) {
                callback.failed(failure);
                return;
            }
            LOG.debug("[{}] {}", PeerName.of(remote), failure.getMessage());
            if (failures.size() == addresses.size()) {
                callback.failed(unreached(failures));
            } else if (!cancellation.isCancelled()) {
                next();
            }
        }
    }

    /** Returns whether the server may be reached by another address. */
    private boolean isUnreached(UcxException error) {
        // UCX's own connection manager reports a port on which nothing listens as a rejection.
        return error.isConnectionLost() || error.status() == UcxStatus.TIMED_OUT
                || config.raw() && error.status() == UcxStatus.REJECTED;
    }

    private UcxException unreached(List<UcxException> failures) {
        UcxException last = failures.getLast();
        UcxException all = new UcxException(last.status(), "connect", PeerName.of(remote),
                "none of the " + failures.size() + " addresses of the name could be connected: " + failures.stream()
                .map(UcxException::getMessage).collect(Collectors.joining("; ")), last);
        failures.subList(0, failures.size() - 1).forEach(all::addSuppressed);
        return all;
    }
}
