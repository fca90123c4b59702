package io.reactorucx.transport.connect;

import io.reactorucx.core.CloseMode;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.security.PeerCertificates;
import io.reactorucx.security.TlsConfig;
import io.reactorucx.transport.command.Cancellation;
import io.reactorucx.transport.command.RetryingCommand;
import io.reactorucx.transport.config.ConnectionConfig;
import io.reactorucx.transport.connection.ConnectionCore;
import io.reactorucx.transport.connection.EngineConnections;
import io.reactorucx.transport.endpoint.DataPath;
import io.reactorucx.transport.endpoint.PeerAdmission;
import io.reactorucx.transport.endpoint.PeerHost;
import io.reactorucx.transport.frame.BindFrame;
import io.reactorucx.transport.frame.ControlFields;
import io.reactorucx.transport.frame.ControlFrame;
import io.reactorucx.transport.handshake.ClientHandshake;
import io.reactorucx.transport.handshake.ConnectionIdentity;
import io.reactorucx.transport.handshake.HandshakeCallbacks;
import io.reactorucx.transport.handshake.HandshakeFailure;
import io.reactorucx.transport.handshake.PeerInfo;
import io.reactorucx.transport.handshake.PeerOrigin;
import io.reactorucx.transport.handshake.Redirect;
import io.reactorucx.transport.handshake.Rejection;
import io.reactorucx.transport.socket.ControlSocket;
import io.reactorucx.transport.socket.PeerName;
import io.reactorucx.transport.socket.SocketEventLoop;
import io.reactorucx.transport.socket.TlsSide;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.crypto.SecretKey;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connects to a framework server: the handshake over a socket, then an endpoint on the connection's engine. The socket
 * goes between the addresses that UCX uses: the first one may only find them out ({@link DataPath}).
 */
public final class SocketConnector implements Connector {

    private static final Logger LOG = LoggerFactory.getLogger(SocketConnector.class);

    private final EngineResources resources;
    private final ConnectingEngine engine;
    private final PendingBindings bindings;
    private final EngineConnections connections;
    private final ConnectionConfig config;
    private final SocketPath path;
    private final String peer;

    public SocketConnector(EngineResources resources, ConnectingEngine engine, ConnectionConfig config,
            InetSocketAddress address) {
        this(resources, engine, config, SocketPath.to(address));
    }

    private SocketConnector(EngineResources resources, ConnectingEngine engine, ConnectionConfig config,
            SocketPath path) {
        this.resources = resources;
        this.engine = engine;
        this.connections = engine.connections();
        this.bindings = engine.bindings();
        this.config = config;
        this.path = path;
        this.peer = PeerName.of(path.asked());
    }

    /** Connects within the time of the handshake. */
    @Override
    public Runnable connect(ConnectCallback callback) {
        try {
            TransportChoice.requireOwn(connections, config.requirement(), "connect");
        } catch (UcxException e) {
            callback.failed(e);
            return () -> { };
        }
        Cancellation cancellation = new Cancellation();
        connect(callback, cancellation, System.nanoTime() + config.handshakeTimeout().toNanos());
        return cancellation::cancel;
    }

    private void connect(ConnectCallback callback, Cancellation cancellation, long deadlineNanos) {
        Attempt attempt = new Attempt(callback, other -> {
            Duration left = Duration.ofNanos(Math.max(TimeUnit.MILLISECONDS.toNanos(1),
                    deadlineNanos - System.nanoTime()));
            if (!cancellation.isCancelled()) {
                new SocketConnector(resources, engine, config.withHandshakeTimeout(left), other)
                        .connect(callback, cancellation, deadlineNanos);
            }
        });
        // ready() closes a connection that comes later.
        cancellation.onCancel(cancellation.begin(), attempt::cancel);
        attempt.start();
    }

    /**
     * One attempt, on one path.
     *
     * <p>Thread: socket loop until the server's ADDRESS has come, then engine.
     */
    private final class Attempt implements ControlSocket.Listener, HandshakeCallbacks {

        private final ConnectEnd end;
        private final Consumer<SocketPath> whenOtherPath;
        private final ConnectionIdentity identity;
        private final ClientHandshake handshake;
        private final SocketEventLoop loop = resources.sockets();
        private volatile @Nullable ControlSocket socket;
        private volatile @Nullable ConnectionCore connection;
        private volatile boolean cancelled;
        private boolean reached;
        private @Nullable PeerInfo server;
        private @Nullable EndpointBinding binding;

        Attempt(ConnectCallback callback, Consumer<SocketPath> whenOtherPath) {
            this.end = new ConnectEnd(callback);
            this.whenOtherPath = whenOtherPath;
            this.identity = connections.newIdentity();
            this.handshake = new ClientHandshake(connections.ownInfo(config), identity, ControlFields.NONE,
                    config.protocol().authentication(),
                    resources.clientAuthenticators(), peer, this);
        }

        void start() {
            end.limitedBy(loop.schedule(config.handshakeTimeout(), this::timedOut));
            try {
                ControlSocket opened = ControlSocket.connect(loop, path.local(), path.remote(), tls(), this);
                socket = opened;
                if (cancelled) {
                    opened.close();
                }
            } catch (IOException e) {
                end.fail(failure(e));
            }
        }

        /** The server has to have the name that the application has asked for, wherever it sends this side. */
        private @Nullable TlsSide tls() {
            TlsConfig tls = config.protocol().tls();
            return tls == null ? null : TlsSide.ofClient(tls, path.asked().getHostString(), path.asked().getPort(),
                    resources.clientAuthenticators());
        }

        private void timedOut() {
            end.fail(new UcxException(UcxStatus.TIMED_OUT, "connect", peer,
                    "no answer within " + config.handshakeTimeout() + path.explanation()));
            cancel();
        }

        void cancel() {
            end.tryEnd();
            cancelled = true;
            ConnectionCore made = connection;
            ControlSocket open = socket;
            if (made != null) {
                made.executeUrgent(worker -> {
                    EndpointBinding started = binding;
                    if (started != null) {
                        started.cancel();
                    }
                });
            } else if (open != null) {
                execute(handshake::close);
                open.close();
            }
        }

        @Override
        public void connected(ControlSocket connected) {
            socket = connected;
            reached = true;
            try {
                InetSocketAddress own = connected.localAddress();
                DataPath data = DataPath.of(path.remote(), own, connections.worker().tcpListeners().addresses());
                InetAddress other = path.local() != null ? null : data.otherEnd();
                if (other != null) {
                    take(path.from(other, own.getAddress()));
                    return;
                }
                identity.ownSource(path.local() != null ? path.source() : data.source());
            } catch (IOException e) {
                LOG.debug("[{}] the end of the socket is unknown", peer, e);
            }
            handshake.start();
        }

        /** Ends this attempt for one on another path. */
        private void take(SocketPath other) {
            handshake.close();
            ControlSocket open = socket;
            if (open != null) {
                open.close();
            }
            LOG.debug("[{}] connects on another path: {}", peer, other);
            if (end.tryEnd()) {
                whenOtherPath.accept(other);
            }
        }

        private boolean follows(ControlFrame frame) {
            Redirect redirect = path.isRedirected() || connection != null ? null : Redirect.of(frame);
            if (redirect == null) {
                return false;
            }
            take(path.redirected(redirect.address()));
            return true;
        }

        @Override
        public void received(byte[] bytes) {
            ConnectionCore made = connection;
            if (made != null && made.socketReceived(bytes)) {
                return;
            }
            ControlFrame frame = server == null ? ControlFrame.parse(bytes) : null;
            BindFrame found = server == null ? null : BindFrame.parse(bytes);
            if (frame != null) {
                if (!follows(frame)) {
                    handshake.received(frame);
                }
            } else if (server != null && connection == null && Rejection.parse(bytes) instanceof Rejection late) {
                // The server has no room for the endpoint.
                failed(new HandshakeFailure(HandshakeFailure.Kind.PEER, late, null));
            } else if (found != null && found.isAddress(identity.ownToken())
                    && identity.isAddressOfPeer(found.address()) && connection == null) {
                bind(found);
            } else {
                ControlSocket open = socket;
                if (open != null) {
                    open.failed(new IOException(
                            "the peer is no server of this library, or has another version of its protocol"));
                }
            }
        }

        @Override
        public void secured(@Nullable PeerCertificates peerCertificates, SecretKey exported) {
            identity.secured(peerCertificates, exported, true);
        }

        @Override
        public void notSecured(ControlSocket refused, IOException cause) {
            handshake.close();
            failed(HandshakeFailure.ofTls(cause));
        }

        @Override
        public void send(ControlFrame frame) {
            ControlSocket open = socket;
            if (open != null) {
                open.send(frame.toBytes());
            }
        }

        @Override
        public void execute(Runnable task) {
            loop.execute(task);
        }

        @Override
        public void connected(PeerInfo info) {
            server = info;
        }

        @Override
        public void failed(HandshakeFailure failure) {
            connections.handshakeFailed(peer, failure);
            ControlSocket open = socket;
            if (open != null) {
                open.shutdown(config.closeTimeout());
            }
            end.fail(failure.toException(peer));
        }

        private void bind(BindFrame found) {
            ControlSocket open = socket;
            PeerInfo info = server;
            if (cancelled || open == null || info == null) {
                return;
            }
            byte[] ownAddress = connections.addressFor(info.locality());
            NewConnection fresh = NewConnection.of(connections, config, peer, identity);
            ConnectionCore made = fresh.connection();
            connection = made;
            identity.origin(PeerOrigin.ofServer(path.remote(), info.process()));
            new RetryingCommand(made.engine(), worker -> {
                Rejection full = fresh.carrier().reserve(identity.origin());
                if (full != null) {
                    made.abandonConnecting();
                    open.close();
                    end.fail(full.toException(peer, null));
                    return;
                }
                EndpointBinding started = new EndpointBinding(fresh, bindings,
                        new TransportChoice(made, info, true), identity, ownAddress,
                        new PeerHost(path.remote().getAddress()), number -> open.send(new BindFrame(
                        BindFrame.Type.ADDRESS, identity.peerToken(), number, ownAddress).toBytes()), this::ready,
                        end::fail);
                binding = started;
                made.attachSocket(open, started);
                PeerAdmission.Admission admission = connections.admission()
                        .admit(path.remote().getAddress(), identity.peerSource());
                made.end().listen(admission::end);
                if (cancelled) {
                    started.cancel();
                } else {
                    started.start(found);
                }
            }, closed -> {
                open.close();
                end.fail(new UcxClosedException("connect", peer, String.valueOf(closed.getMessage()), closed));
            }, true).submit();
        }

        private void ready() {
            ConnectionCore made = connection;
            EndpointBinding bound = binding;
            if (made != null && bound != null && made.established(server)) {
                if (end.tryEnd()) {
                    end.connected(new Established(made, server, bound.peerAddress(), true));
                } else {
                    made.beginClose(CloseMode.FLUSH);
                }
            }
        }

        @Override
        public void ended(IOException cause) {
            ConnectionCore made = connection;
            if (made == null) {
                handshake.close();
                end.fail(failure(cause));
            } else {
                made.socketEnded(cause, end::fail);
            }
        }

        private UcxException failure(IOException cause) {
            if (resources.isDisposed()) {
                return new UcxClosedException("connect", peer, "these resources are closed");
            }
            return new UcxException(reached ? UcxStatus.CONNECTION_RESET : UcxStatus.NOT_CONNECTED, "connect", peer,
                    cause.getMessage() + path.explanation(), cause);
        }
    }
}
