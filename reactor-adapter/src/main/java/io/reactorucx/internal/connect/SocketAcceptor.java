package io.reactorucx.internal.connect;

import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcxClosedException;
import io.reactorucx.internal.config.ConnectionConfig;
import io.reactorucx.internal.connection.ConnectionCore;
import io.reactorucx.internal.connection.EngineConnections;
import io.reactorucx.internal.frame.BindFrame;
import io.reactorucx.internal.frame.ControlFrame;
import io.reactorucx.internal.handshake.HandshakeCallbacks;
import io.reactorucx.internal.handshake.HandshakeFailure;
import io.reactorucx.internal.handshake.PeerInfo;
import io.reactorucx.internal.handshake.Rejection;
import io.reactorucx.internal.handshake.ServerHandshake;
import io.reactorucx.internal.socket.BoundListener;
import io.reactorucx.internal.socket.ControlSocket;
import io.reactorucx.internal.socket.ControlSocketAcceptor;
import io.reactorucx.internal.socket.PendingHandshakes;
import io.reactorucx.internal.socket.SocketEventLoop;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.security.SecureRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

/**
 * Takes framework clients that come to a socket: the handshake on the socket loop, then an endpoint on the next engine.
 */
final class SocketAcceptor {

    private static final Logger LOG = LoggerFactory.getLogger(SocketAcceptor.class);
    private static final SecureRandom TOKENS = new SecureRandom();

    private final EngineResources resources;
    private final ConnectionConfig config;
    private final PendingHandshakes pending;
    private final SocketEventLoop loop;
    private final EndpointAcceptor server;

    SocketAcceptor(EngineResources resources, ConnectionConfig config, int maxPendingHandshakes,
            EndpointAcceptor server) {
        this.resources = resources;
        this.config = config;
        this.pending = new PendingHandshakes(maxPendingHandshakes, resources.handshakes());
        this.loop = resources.sockets();
        this.server = server;
    }

    static String name(InetSocketAddress address) {
        return address.getAddress().getHostAddress() + ":" + address.getPort();
    }

    Mono<BoundListener> bind(InetSocketAddress address) {
        return Mono.fromCallable(() -> {
            if (resources.isDisposed()) {
                throw new UcxClosedException("bind at " + address, null, "these resources are closed");
            }
            return ControlSocketAcceptor.bind(loop, address, pending, this::accepted);
        });
    }

    private void accepted(SocketChannel channel, InetSocketAddress client) {
        Accept accept = new Accept(name(client), resources.next());
        pending.began(accept, accept::giveWay);
        accept.begin(channel);
    }

    /**
     * One client, until its connection is ready. On the thread of the socket loop, but for what is said to be on the
     * engine's.
     */
    private final class Accept implements ControlSocket.Listener, HandshakeCallbacks {

        private final String peer;
        private final EngineConnections registry;
        private final PendingBindings bindings;
        private final ServerHandshake handshake;
        private final long token = TOKENS.nextLong();
        private @Nullable ControlSocket socket;
        private @Nullable Disposable timeout;
        private volatile @Nullable PeerInfo client;
        private volatile @Nullable ConnectionCore connection;
        private @Nullable EndpointBinding pairing;
        private boolean addressed;
        private boolean done;
        private final Sinks.Empty<Void> gone = Sinks.empty();

        Accept(String peer, ConnectingEngine engine) {
            this.peer = peer;
            this.registry = engine.connections();
            this.bindings = engine.bindings();
            this.handshake = new ServerHandshake(registry.ownInfo(config), config.protocol().authentication(),
                    Schedulers.boundedElastic(), peer, this);
        }

        void begin(SocketChannel channel) {
            try {
                socket = ControlSocket.accepted(loop, channel, this);
                timeout = Schedulers.parallel().schedule(() -> execute(this::timedOut),
                        config.handshakeTimeout().toMillis(),
                        TimeUnit.MILLISECONDS);
            } catch (IOException e) {
                ended(e);
            }
        }

        private void timedOut() {
            if (!done) {
                registry.refused(peer, new HandshakeFailure(HandshakeFailure.Kind.TIMEOUT,
                        new Rejection("the handshake was not done within " + config.handshakeTimeout()), null));
                end();
            }
        }

        private void giveWay() {
            LOG.debug("[{}] has not proved who it is, and others wait", peer);
            end();
        }

        private void end() {
            ConnectionCore made = connection;
            if (made != null) {
                made.execute(worker -> {
                    if (made.phase().isConnecting()) {
                        made.abandonConnecting();
                    }
                });
            } else {
                if (socket != null) {
                    socket.close();
                }
                done(false);
            }
        }

        private void done(boolean connected) {
            if (!done) {
                done = true;
                handshake.close();
                if (connection == null) {
                    gone.tryEmitEmpty();
                }
                if (timeout != null) {
                    timeout.dispose();
                }
                pending.ended(this, connected);
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
                handshake.received(frame);
            } else if (made != null && found != null && found.type() == BindFrame.Type.ADDRESS && !addressed) {
                addressed = true;
                made.execute(worker -> begin(found));
            } else if (socket != null) {
                socket.failed(new IOException("what came is no part of the protocol"));
            }
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
            registry.refused(peer, failure);
            if (socket != null) {
                socket.finish(config.closeTimeout());
            }
        }

        @Override
        public @Nullable Rejection admit() {
            return server.handlers().admit(gone.asMono());
        }

        @Override
        public void connected(PeerInfo facts) {
            ControlSocket open = socket;
            if (open != null && !done) {
                pending.proved(this);
                ConnectionCore made = new ConnectionCore(registry, config, peer);
                client = facts;
                connection = made;
                made.execute(worker -> pair(made, open), closed -> open.close());
            }
        }

        /** On the engine's thread: the client's endpoint is expected before the client hears of this side's worker. */
        private void pair(ConnectionCore made, ControlSocket open) {
            EndpointBinding begun = new EndpointBinding(made, bindings, false, token, this::ready,
                    error -> LOG.debug("[{}] lost before it was connected", peer, error));
            pairing = begun;
            made.attachSocket(open, begun);
            server.add(made);
            made.onDispose().subscribe(ignored -> { }, error -> { }, () -> {
                gone.tryEmitEmpty();
                execute(() -> done(false));
            });
            begun.expect();
            open.send(new BindFrame(BindFrame.Type.ADDRESS, token, 0, registry.address()).toBytes());
        }

        /** On the engine's thread. */
        private void begin(BindFrame address) {
            EndpointBinding begun = pairing;
            if (begun != null) {
                begun.meet(address.address(), () -> LOG.debug("[{}] sent an address that was not asked for", peer));
            }
        }

        /** On the engine's thread. */
        private void ready(UcpEndpoint endpoint) {
            ConnectionCore made = connection;
            PeerInfo facts = client;
            if (made != null && made.established(facts)) {
                execute(() -> done(true));
                server.handlers().run(new Established(made, endpoint, facts));
            }
        }

        @Override
        public void ended(IOException cause) {
            ConnectionCore made = connection;
            if (made == null) {
                LOG.debug("[{}] left during the handshake", peer, cause);
                done(false);
            } else {
                made.socketEnded(cause, closed -> LOG.debug("[{}] the engine is closed", peer));
            }
        }
    }
}
