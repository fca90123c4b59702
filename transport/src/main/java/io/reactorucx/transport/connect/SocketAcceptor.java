package io.reactorucx.transport.connect;

import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.security.PeerCertificates;
import io.reactorucx.security.TlsConfig;
import io.reactorucx.transport.command.EndSignal;
import io.reactorucx.transport.command.RetryingCommand;
import io.reactorucx.transport.config.ConnectionConfig;
import io.reactorucx.transport.connection.ConnectionCore;
import io.reactorucx.transport.connection.EngineConnections;
import io.reactorucx.transport.endpoint.DataPath;
import io.reactorucx.transport.endpoint.PeerAdmission;
import io.reactorucx.transport.endpoint.PeerHost;
import io.reactorucx.transport.frame.BindFrame;
import io.reactorucx.transport.frame.ControlFrame;
import io.reactorucx.transport.handshake.ConnectionIdentity;
import io.reactorucx.transport.handshake.HandshakeCallbacks;
import io.reactorucx.transport.handshake.HandshakeFailure;
import io.reactorucx.transport.handshake.PeerInfo;
import io.reactorucx.transport.handshake.PeerOrigin;
import io.reactorucx.transport.handshake.Redirect;
import io.reactorucx.transport.handshake.Rejection;
import io.reactorucx.transport.handshake.ServerHandshake;
import io.reactorucx.transport.socket.BoundListener;
import io.reactorucx.transport.socket.BoundListeners;
import io.reactorucx.transport.socket.ControlSocket;
import io.reactorucx.transport.socket.ControlSocketAcceptor;
import io.reactorucx.transport.socket.PeerName;
import io.reactorucx.transport.socket.PendingHandshakes;
import io.reactorucx.transport.socket.SocketEventLoop;
import io.reactorucx.transport.socket.TlsSide;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import javax.crypto.SecretKey;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Accepts framework clients over a socket: the handshake on the socket loop, then an endpoint on the next engine.
 */
final class SocketAcceptor {

    private static final Logger LOG = LoggerFactory.getLogger(SocketAcceptor.class);

    private final EngineResources resources;
    private final ConnectionConfig config;
    private final PendingHandshakes pending;
    private final SocketEventLoop loop;
    private final EndpointAcceptor server;
    private final @Nullable EngineChoice choice;
    /** Where clients are sent, by the address that UCX uses. */
    private final Map<InetAddress, InetSocketAddress> redirects = new ConcurrentHashMap<>();

    SocketAcceptor(EngineResources resources, ConnectionConfig config, int maxPendingHandshakes,
            EndpointAcceptor server,
            EngineChoice.@Nullable OfClient ofClient) {
        this.resources = resources;
        this.config = config;
        this.pending = new PendingHandshakes(maxPendingHandshakes, resources.handshakes());
        this.loop = resources.sockets();
        this.server = server;
        this.choice = ofClient == null ? null
                : new EngineChoice(loop, pending, config.closeTimeout(), this::tls, ofClient);
    }

    private @Nullable TlsSide tls(PeerOrigin client) {
        TlsConfig secured = config.protocol().tls();
        return secured == null ? null : TlsSide.ofServer(secured, resources.serverAuthenticators().of(client));
    }

    /** Listens at an address, and at those that UCX uses in place of it: clients are sent there. */
    BoundListener bind(InetSocketAddress address) {
        if (resources.isDisposed()) {
            throw new UcxClosedException("bind at " + address, null, "these resources are closed");
        }
        List<BoundListener> all = new ArrayList<>();
        all.add(ControlSocketAcceptor.bind(loop, address, pending, this::accepted));
        try {
            for (InetAddress other : elsewhere(address.getAddress())) {
                BoundListener listener = ControlSocketAcceptor.bind(loop, new InetSocketAddress(other, 0), pending,
                        this::accepted);
                all.add(listener);
                redirects.put(other, listener.address());
            }
        } catch (RuntimeException e) {
            all.forEach(BoundListener::close);
            throw e;
        }
        return all.size() == 1 ? all.getFirst() : new BoundListeners(all);
    }

    /** Returns the addresses on which UCX listens, if clients cannot come there by the address that is bound. */
    private Set<InetAddress> elsewhere(InetAddress bound) {
        if (bound.isAnyLocalAddress() || bound.isLoopbackAddress()) {
            return Set.of();
        }
        Set<InetAddress> others = new LinkedHashSet<>();
        resources.listeningAddresses().stream().map(InetSocketAddress::getAddress)
                .filter(each -> !each.isLoopbackAddress()).forEach(others::add);
        return others.contains(bound) ? Set.of() : others;
    }

    private void accepted(SocketChannel channel, InetSocketAddress client) {
        if (choice == null) {
            start(channel, client, resources);
        } else {
            choice.accepted(channel, client, engines -> start(channel, client, engines));
        }
    }

    private void start(SocketChannel channel, InetSocketAddress client, EngineResources engines) {
        PeerOrigin origin = PeerOrigin.of(client);
        Accept accept = new Accept(client, origin, engines.next());
        pending.add(accept, origin, accept::evict);
        accept.start(channel, tls(origin));
    }

    /**
     * One client, until its connection is established.
     *
     * <p>Thread: socket loop, except where a method says otherwise.
     */
    private final class Accept implements ControlSocket.Listener, HandshakeCallbacks {

        private final InetSocketAddress address;
        private final String peer;
        private final EngineConnections connections;
        private final PendingBindings bindings;
        private final ServerHandshake handshake;
        private final ConnectionIdentity identity;
        private InetSocketAddress own;
        private @Nullable ControlSocket socket;
        private @Nullable Future<?> timeout;
        private volatile @Nullable PeerInfo client;
        private volatile @Nullable ConnectionCore connection;
        private @Nullable EndpointBinding binding;
        private boolean hasAddress;
        private boolean greeted;
        private boolean redirected;
        private boolean ended;
        private final EndSignal gone = new EndSignal();

        Accept(InetSocketAddress address, PeerOrigin origin, ConnectingEngine engine) {
            this.address = address;
            this.own = address;
            this.peer = PeerName.of(address);
            this.connections = engine.connections();
            this.bindings = engine.bindings();
            this.identity = connections.newIdentity();
            this.handshake = new ServerHandshake(connections.ownInfo(config), identity,
                    config.protocol().authentication(),
                    resources.serverAuthenticators().of(origin), peer, this);
        }

        void start(SocketChannel channel, @Nullable TlsSide tls) {
            try {
                own = (InetSocketAddress) channel.getLocalAddress();
                socket = ControlSocket.accepted(loop, channel, tls, this);
                timeout = loop.schedule(config.handshakeTimeout(), this::timedOut);
            } catch (IOException e) {
                ended(e);
            } catch (RuntimeException | Error e) {
                // The handshake must not stay among the pending ones.
                abort();
                throw e;
            }
        }

        private void timedOut() {
            if (!ended && redirected) {
                abort();
            } else if (!ended) {
                connections.handshakeFailed(peer, new HandshakeFailure(HandshakeFailure.Kind.TIMEOUT,
                        new Rejection("the handshake was not done within " + config.handshakeTimeout()), null));
                abort();
            }
        }

        private void evict() {
            LOG.debug("[{}] closed before it was authenticated: other clients wait", peer);
            abort();
        }

        private void abort() {
            ConnectionCore made = connection;
            if (made != null) {
                new RetryingCommand(made.engine(), worker -> {
                    if (made.phase().isConnecting()) {
                        made.abandonConnecting();
                    }
                }, this::engineClosed, true).submit();
            } else {
                if (socket != null) {
                    socket.close();
                }
                end(false);
            }
        }

        /** The engine runs nothing any more: the client learns from the end of the socket that it has to try again. */
        private void engineClosed(RuntimeException closed) {
            LOG.debug("[{}] not accepted", peer, closed);
            gone.signal();
            if (socket != null) {
                socket.close();
            }
            execute(() -> end(false));
        }

        private void end(boolean connected) {
            if (!ended) {
                ended = true;
                handshake.close();
                if (connection == null) {
                    gone.signal();
                }
                if (timeout != null) {
                    timeout.cancel(false);
                }
                pending.remove(this, connected);
            }
        }

        @Override
        public void received(byte[] bytes) {
            ConnectionCore made = connection;
            if (made != null && made.socketReceived(bytes)) {
                return;
            }
            ControlFrame frame = made == null ? ControlFrame.parse(bytes) : null;
            BindFrame found = made == null ? null : BindFrame.parse(bytes);
            if (frame != null) {
                if (!redirects(frame)) {
                    handshake.received(frame);
                }
            } else if (made != null && found != null && found.isAddress(identity.ownToken())
                    && identity.isAddressOfPeer(found.address()) && !hasAddress) {
                hasAddress = true;
                made.executeUrgent(worker -> startBinding(found));
            } else if (socket != null) {
                socket.failed(new IOException("the bytes are no frame of this protocol"));
            }
        }

        /** Looks at the first frame, and returns whether the client has to come by another address of this host. */
        private boolean redirects(ControlFrame frame) {
            ControlSocket open = socket;
            if (greeted || open == null || frame.type() != ControlFrame.Type.HELLO) {
                return redirected;
            }
            greeted = true;
            try {
                InetSocketAddress own = open.localAddress();
                DataPath data = DataPath.of(address, own, connections.worker().tcpListeners().addresses());
                identity.ownSource(data.source());
                InetAddress other = data.instead();
                InetSocketAddress where = other == null ? null
                        : redirects.getOrDefault(other, new InetSocketAddress(other, own.getPort()));
                if (where != null) {
                    LOG.debug("[{}] came by {} and is sent to {}, which UCX uses", peer, own, where);
                    redirected = true;
                    handshake.close();
                    send(new Redirect(where).toFrame());
                    open.shutdown(config.closeTimeout());
                }
            } catch (IOException e) {
                LOG.debug("[{}] this end of the socket is unknown", peer, e);
            }
            return redirected;
        }

        @Override
        public void secured(@Nullable PeerCertificates peerCertificates, SecretKey exported) {
            identity.secured(peerCertificates, exported, false);
        }

        @Override
        public void notSecured(ControlSocket refused, IOException cause) {
            HandshakeFailure failure = HandshakeFailure.ofTls(cause);
            handshake.close();
            refused.send(failure.rejection().toFrame().toBytes());
            failed(failure);
        }

        @Override
        public void send(ControlFrame frame) {
            if (socket != null) {
                socket.send(frame.toBytes());
            }
        }

        @Override
        public void execute(Runnable task) {
            loop.execute(task);
        }

        @Override
        public void failed(HandshakeFailure failure) {
            connections.handshakeFailed(peer, failure);
            if (socket != null) {
                socket.shutdown(config.closeTimeout());
            }
        }

        @Override
        public @Nullable Rejection admit(PeerInfo info) {
            PeerOrigin origin = PeerOrigin.verified(address, own, info.process());
            identity.origin(origin);
            return server.handlers().admit(origin, gone);
        }

        @Override
        public void connected(PeerInfo info) {
            ControlSocket open = socket;
            if (open != null && !ended) {
                pending.admitted(this, identity.origin(), () -> connect(info, open));
            }
        }

        private void connect(PeerInfo info, ControlSocket open) {
            if (!ended) {
                NewConnection fresh = NewConnection.of(connections, config, peer, identity);
                ConnectionCore made = fresh.connection();
                client = info;
                connection = made;
                byte[] ownAddress = connections.addressFor(info.locality());
                new RetryingCommand(made.engine(), worker -> bind(fresh, info, open, ownAddress), this::engineClosed,
                        true).submit();
            }
        }

        /** Accepts BIND before it sends ADDRESS, which lets the client send BIND. Thread: engine. */
        private void bind(NewConnection fresh, PeerInfo info, ControlSocket open, byte[] ownAddress) {
            ConnectionCore made = fresh.connection();
            made.end().listen(() -> {
                gone.signal();
                execute(() -> end(false));
            });
            Rejection full = fresh.carrier().reserve(identity.origin());
            if (full != null) {
                refuse(made, open, full, null);
                return;
            }
            EndpointBinding started = new EndpointBinding(fresh, bindings, new TransportChoice(made, info, false),
                    identity, ownAddress,
                    new PeerHost(address.getAddress()), number -> { }, this::ready,
                    error -> LOG.debug("[{}] lost before it was established", peer, error));
            binding = started;
            if (!admitted(made, open)) {
                return;
            }
            made.attachSocket(open, started);
            server.add(made);
            started.awaitBind();
            open.send(new BindFrame(BindFrame.Type.ADDRESS, identity.peerToken(), 0, ownAddress).toBytes());
        }

        /** UCX of this side accepts the client's connections before the client learns the address. Thread: engine. */
        private boolean admitted(ConnectionCore made, ControlSocket open) {
            try {
                PeerAdmission.Admission admission = connections.admission()
                        .admit(address.getAddress(), identity.peerSource());
                made.end().listen(admission::end);
                return true;
            } catch (UcxException e) {
                Rejection told = Rejection.ofRefusal(e);
                refuse(made, open, told == null ? new Rejection(e.status(), e.status().description()) : told, e);
                return false;
            }
        }

        /** Tells the client, which waits for the address of this side, why it does not get it. Thread: engine. */
        private void refuse(ConnectionCore made, ControlSocket open, Rejection why, @Nullable UcxException cause) {
            Rejection found = cause == null ? why : new Rejection(why.status(), String.valueOf(cause.getMessage()));
            connections.handshakeFailed(peer, new HandshakeFailure(HandshakeFailure.Kind.ADMISSION, found, cause));
            open.send(why.toFrame().toBytes());
            open.shutdown(config.closeTimeout());
            made.abandonConnecting();
        }

        /** Thread: engine. */
        private void startBinding(BindFrame frame) {
            EndpointBinding started = binding;
            if (started != null) {
                started.start(frame);
            }
        }

        /** Thread: engine. */
        private void ready() {
            ConnectionCore made = connection;
            PeerInfo info = client;
            EndpointBinding bound = binding;
            if (made != null && bound != null && made.established(info)) {
                execute(() -> end(true));
                server.handlers().run(new Established(made, info, bound.peerAddress(), false));
            }
        }

        @Override
        public void ended(IOException cause) {
            ConnectionCore made = connection;
            if (made == null) {
                LOG.debug("[{}] closed the socket during the handshake", peer, cause);
                end(redirected);
            } else {
                made.socketEnded(cause, this::engineClosed);
            }
        }
    }
}
