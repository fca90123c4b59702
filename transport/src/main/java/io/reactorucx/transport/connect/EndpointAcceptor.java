package io.reactorucx.transport.connect;

import io.reactorucx.core.CloseMode;
import io.reactorucx.core.EndpointOptions;
import io.reactorucx.core.UcpConnectionRequest;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpPeerAddress;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.engine.Command;
import io.reactorucx.transport.command.DelayedAction;
import io.reactorucx.transport.command.EndSignal;
import io.reactorucx.transport.command.EngineFuture;
import io.reactorucx.transport.config.ConnectionConfig;
import io.reactorucx.transport.connection.ConnectionCore;
import io.reactorucx.transport.connection.EngineConnections;
import io.reactorucx.transport.endpoint.PeerAdmission;
import io.reactorucx.transport.frame.ControlFields;
import io.reactorucx.transport.frame.ControlFrame;
import io.reactorucx.transport.handshake.ConnectListener;
import io.reactorucx.transport.handshake.ConnectionIdentity;
import io.reactorucx.transport.handshake.FairLimit;
import io.reactorucx.transport.handshake.HandshakeCallbacks;
import io.reactorucx.transport.handshake.HandshakeFailure;
import io.reactorucx.transport.handshake.PeerInfo;
import io.reactorucx.transport.handshake.PeerOrigin;
import io.reactorucx.transport.handshake.Rejection;
import io.reactorucx.transport.handshake.ServerHandshake;
import io.reactorucx.transport.socket.BoundListener;
import io.reactorucx.transport.socket.PeerName;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The accepting side of a server: an endpoint on the next engine, the handshake, the application's handler.
 *
 * <p>Thread: any, except where a method says otherwise.
 */
public final class EndpointAcceptor {

    private static final Logger LOG = LoggerFactory.getLogger(EndpointAcceptor.class);

    private final EngineResources resources;
    private final ConnectionConfig config;
    private final ServerConnections handlers;
    private final boolean acceptWorkerAddresses;
    private final EngineConnections.WorkerAddressAcceptor byWorkerAddress = this::acceptWorkerAddress;
    private final int maxPendingHandshakes;
    private final Set<ConnectionCore> open = ConcurrentHashMap.newKeySet();
    private final Map<EngineConnections, PeerAdmission.Admission> admissions = new ConcurrentHashMap<>();
    private final EngineChoice.@Nullable OfClient ofClient;
    private volatile boolean closed;

    public EndpointAcceptor(EngineResources resources, ConnectionConfig config, int maxPendingHandshakes,
            boolean acceptWorkerAddresses, ServerConnections handlers) {
        this(resources, config, maxPendingHandshakes, acceptWorkerAddresses, handlers, null);
    }

    /**
     * An acceptor whose clients may get other engines.
     *
     * @param ofClient returns the engines for a client by this and its end of the socket, null for those of this
     */
    public EndpointAcceptor(EngineResources resources, ConnectionConfig config, int maxPendingHandshakes,
            boolean acceptWorkerAddresses, ServerConnections handlers,
            EngineChoice.@Nullable OfClient ofClient) {
        this.ofClient = ofClient;
        this.acceptWorkerAddresses = acceptWorkerAddresses && !config.raw();
        this.resources = resources;
        this.config = config;
        this.maxPendingHandshakes = maxPendingHandshakes;
        this.handlers = handlers;
    }

    /** Listens at an address, and accepts connections by worker address where that is configured. */
    public CompletableFuture<BoundListener> bind(InetSocketAddress address) {
        try {
            if (ofClient == null) {
                resources.connections().forEach(each ->
                        TransportChoice.requireOwn(each, config.requirement(), "bind"));
            }
            return listen(address).thenCompose(this::admitPeers);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private CompletableFuture<BoundListener> listen(InetSocketAddress address) {
        if (!config.raw()) {
            return CompletableFuture.completedFuture(
                    new SocketAcceptor(resources, config, maxPendingHandshakes, this, ofClient).bind(address));
        }
        EngineConnections listening = resources.next().connections();
        return EngineFuture.call(listening.engine(), worker -> new UcpListenerAdapter(listening,
                worker.listen(address, request -> accept(listening, request))));
    }

    /** Admits peers that have no control socket; closes the listener again when that fails. */
    private CompletableFuture<BoundListener> admitPeers(BoundListener listener) {
        return onEachEngine(connections -> {
            if (acceptWorkerAddresses) {
                connections.acceptor(byWorkerAddress);
            }
            if (acceptWorkerAddresses || config.raw()) {
                admissions.put(connections, connections.admission().admitAll());
            }
        }).handle((ignored, error) -> error == null ? CompletableFuture.completedFuture(listener)
                : listener.refuse().thenCompose(refused -> close()).thenCompose(closed -> listener.close())
                .thenCompose(closed -> CompletableFuture.<BoundListener>failedFuture(error)))
                .thenCompose(bound -> bound);
    }

    private CompletableFuture<@Nullable Void> onEachEngine(Consumer<EngineConnections> action) {
        return EngineFuture.done(CompletableFuture.allOf(resources.connections().stream().map(connections ->
                EngineFuture.runRetried(connections.engine(), worker -> action.accept(connections)))
                .toArray(CompletableFuture[]::new)));
    }

    /** Returns the signal that an engine, on which the next client would be accepted, has failed. */
    public EndSignal failure() {
        return resources.engineFailure();
    }

    public int connections() {
        return open.size();
    }

    public ServerConnections handlers() {
        return handlers;
    }

    /** Closes all connections gracefully; completes in any case, at the latest when they are closed by force. */
    public CompletableFuture<@Nullable Void> close() {
        closed = true;
        return onEachEngine(this::endAdmissions).exceptionally(error -> null)
                .thenCompose(ignored -> EngineFuture.done(CompletableFuture.allOf(open.stream().map(this::closed)
                        .toArray(CompletableFuture[]::new))));
    }

    private CompletableFuture<Boolean> closed(ConnectionCore connection) {
        CompletableFuture<Boolean> ended = new CompletableFuture<>();
        connection.end().listen(() -> ended.complete(true));
        connection.close(CloseMode.FLUSH);
        return ended.completeOnTimeout(false, config.closeTimeout().plusSeconds(1).toMillis(), TimeUnit.MILLISECONDS);
    }

    private void endAdmissions(EngineConnections connections) {
        connections.removeAcceptor(byWorkerAddress);
        PeerAdmission.Admission admission = admissions.remove(connections);
        if (admission != null) {
            admission.end();
        }
    }

    private void accept(EngineConnections listening, UcpConnectionRequest request) {
        EngineConnections connections = resources.next().connections();
        InetSocketAddress client = request.clientAddress();
        NewConnection made = NewConnection.of(connections, config, PeerName.of(client), null);
        connections.engine().execute(new Accept(made, connections.newIdentity(), null, PeerOrigin.of(client)) {
            @Override
            UcpEndpoint endpoint(UcpWorker worker, EndpointOptions options) {
                return worker.accept(request, options);
            }

            @Override
            public void reject(RuntimeException cause) {
                super.reject(cause);
                // UCX keeps a request until it is accepted or rejected, and its client waits.
                EngineFuture.runRetried(listening.engine(), worker -> request.reject()).exceptionally(error -> {
                    LOG.debug("[{}] not rejected", made.connection().name(), error);
                    return null;
                });
            }
        });
    }

    private void acceptWorkerAddress(EngineConnections connections, ControlFrame hello) {
        byte[] address = Objects.requireNonNull(hello.fields().bytes(ControlFields.Key.WORKER_ADDRESS));
        String peer = PeerName.ofWorker(address);
        PendingBindings bindings = resources.bindings(connections);
        try {
            UcpPeerAddress checked = connections.endpoints().checked(address, peer);
            if (checked.isOfThisProcess() && !ConnectionIdentity.isClientOfThisProcess(hello.fields())) {
                throw new UcxException(UcxStatus.INVALID_ADDR, "connect", peer,
                        "the peer has sent the address of a worker of this process, and is not of this process");
            }
            bindings.reachable(checked, null, reachable -> accept(connections, bindings, hello, peer, reachable));
        } catch (UcxException e) {
            LOG.warn("[{}] not accepted", peer, e);
        }
    }

    private void accept(EngineConnections connections, PendingBindings bindings, ControlFrame hello, String peer,
            UcpPeerAddress reachable) {
        if (bindings.unbound().tryAcquire(PeerOrigin.UNKNOWN) != FairLimit.Outcome.ACQUIRED) {
            LOG.debug("[{}] not accepted: too many endpoints are not bound yet", peer);
            return;
        }
        ConnectionIdentity identity = connections.newIdentity();
        new Accept(NewConnection.of(connections, config, peer, identity), identity, hello, PeerOrigin.UNKNOWN) {
            private boolean bound;

            @Override
            UcpEndpoint endpoint(UcpWorker worker, EndpointOptions options) {
                return connections.endpoints().connectUnpooled(reachable, options);
            }

            @Override
            void bound() {
                if (!bound) {
                    bound = true;
                    bindings.unbound().release(PeerOrigin.UNKNOWN);
                }
            }
        }.run(connections.worker());
    }

    /** Adds a connection that is being made: it is closed with the server. Thread: engine. */
    void add(ConnectionCore connection) {
        open.add(connection);
        connection.end().listen(() -> open.remove(connection));
        if (closed) {
            // Its handshake was in progress when the server stopped.
            connection.execute(worker -> connection.beginClose(CloseMode.FORCE));
        }
    }

    /**
     * One connection, from its request to the start of its handler.
     *
     * <p>Thread: engine.
     */
    private abstract class Accept implements Command, ConnectListener, HandshakeCallbacks {

        private final NewConnection fresh;
        private final ConnectionCore connection;
        private final ConnectionIdentity identity;
        private final @Nullable ControlFrame hello;
        private final PeerOrigin client;
        private @Nullable UcpEndpoint endpoint;
        private @Nullable ServerHandshake handshake;
        private @Nullable DelayedAction timeout;

        Accept(NewConnection fresh, ConnectionIdentity identity, @Nullable ControlFrame hello,
                PeerOrigin client) {
            this.client = client;
            this.fresh = fresh;
            this.connection = fresh.connection();
            this.identity = identity;
            this.hello = hello;
        }

        abstract UcpEndpoint endpoint(UcpWorker worker, EndpointOptions options);

        /** The connection is established, or has ended. */
        void bound() {
        }

        @Override
        public void run(UcpWorker worker) {
            Rejection full = fresh.carrier().reserve(client);
            if (full != null) {
                bound();
                reject(full.toException(connection.peer(), null));
                return;
            }
            try {
                UcpEndpoint made = endpoint(worker, new EndpointOptions(config.errorMode(), connection.peer(),
                        connection::endpointFailed));
                endpoint = made;
                fresh.attach(made, this);
            } catch (RuntimeException e) {
                bound();
                LOG.warn("[{}] not accepted", connection.name(), e);
                connection.abandonConnecting();
                return;
            }
            add(connection);
            connection.end().listen(this::bound);
            if (config.raw() && config.requirement().isAny()) {
                admitRaw();
                return;
            }
            timeout = DelayedAction.after(connection.engine(), config.handshakeTimeout(), this::timedOut);
            if (config.raw()) {
                wireUp(Objects.requireNonNull(endpoint));
                return;
            }
            handshake = new ServerHandshake(connection.registry().ownInfo(config), identity,
                    config.protocol().authentication(), resources.serverAuthenticators().of(client),
                    connection.peer(), this);
            if (hello != null) {
                connection.peerProcess(PeerInfo.process(hello.fields()));
                received(hello);
            }
        }

        private void admitRaw() {
            if (handlers.admit(client, connection.end()) == null) {
                ready(null);
            } else {
                connection.beginClose(CloseMode.FORCE);
            }
        }

        /** Wires up the endpoint: the transports that UCX takes are known afterwards. */
        private void wireUp(UcpEndpoint made) {
            connection.wireUpStarted();
            if (made.flush((status, length, tag) -> wireUpEnded(status, made))) {
                wireUpEnded(0, made);
            }
        }

        private void wireUpEnded(int status, UcpEndpoint made) {
            connection.wireUpEnded();
            if (status != 0 || !connection.phase().isConnecting()) {
                return;
            }
            endHandshake();
            Rejection refused = choice(null).rejection(made, 0);
            if (refused == null) {
                admitRaw();
            } else {
                connection.registry().handshakeFailed(connection.peer(),
                        new HandshakeFailure(HandshakeFailure.Kind.MISMATCH, refused, null));
                connection.abandonConnecting();
            }
        }

        private TransportChoice choice(@Nullable PeerInfo peer) {
            return new TransportChoice(connection, peer, false);
        }

        private void timedOut() {
            if (connection.phase().isConnecting()) {
                endHandshake();
                Rejection rejection = new Rejection("the handshake was not done within " + config.handshakeTimeout());
                connection.registry().handshakeFailed(connection.peer(),
                        new HandshakeFailure(HandshakeFailure.Kind.TIMEOUT, rejection, null));
                connection.abandonConnecting();
            }
        }

        private void endHandshake() {
            if (timeout != null) {
                timeout.cancel();
            }
            if (handshake != null) {
                handshake.close();
            }
        }

        @Override
        public void received(ControlFrame frame) {
            if (handshake != null) {
                handshake.received(frame);
            }
        }

        @Override
        public void send(ControlFrame frame) {
            if (!connection.sendControl(frame)) {
                endHandshake();
                connection.abandonConnecting();
            }
        }

        @Override
        public void execute(Runnable task) {
            connection.execute(worker -> task.run());
        }

        @Override
        public void connected(PeerInfo peer) {
            endHandshake();
            ready(peer);
        }

        @Override
        public void failed(HandshakeFailure failure) {
            endHandshake();
            connection.registry().handshakeFailed(connection.peer(), failure);
            if (failure.reason() == HandshakeFailure.Kind.PEER) {
                connection.abandonConnecting();
            } else {
                // The client closes when it has read the reason; else this side closes after a timeout.
                connection.rejected();
            }
        }

        @Override
        public @Nullable Rejection admit(PeerInfo peer) {
            UcpEndpoint made = endpoint;
            Rejection refused = made == null || hello == null ? null : choice(peer).rejection(made, takenByPeer(hello));
            return refused != null ? refused : handlers.admit(client, connection.end());
        }

        private static int takenByPeer(ControlFrame hello) {
            return hello.fields().has(ControlFields.Key.TAKEN_TRANSPORTS)
                    ? hello.fields().buffer(ControlFields.Key.TAKEN_TRANSPORTS).get() : 0;
        }

        private void ready(@Nullable PeerInfo peer) {
            UcpEndpoint made = endpoint;
            if (made == null) {
                return;
            }
            if (connection.established(peer)) {
                bound();
                handlers.run(new Established(connection, peer, null, false));
                choice(peer).log(null, connection.peer());
            }
        }

        @Override
        public void failed(RuntimeException error) {
            endHandshake();
            LOG.debug("[{}] lost before it was established", connection.name(), error);
        }

        @Override
        public void reject(RuntimeException cause) {
            LOG.warn("[{}] not accepted", connection.name(), cause);
        }
    }
}
