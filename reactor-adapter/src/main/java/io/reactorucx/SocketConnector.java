package io.reactorucx;

import io.reactorucx.core.CloseMode;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcxClosedException;
import io.reactorucx.core.UcxException;
import io.reactorucx.core.UcxStatus;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.scheduler.Schedulers;

/** Makes one connection to a framework server: the handshake over a socket, then an endpoint on the connection's engine. */
final class SocketConnector {

    private final UcxResources resources;
    private final ConnectionRegistry registry;
    private final ConnectionConfig config;
    private final InetSocketAddress address;
    private final String peer;

    SocketConnector(UcxResources resources, ConnectionRegistry registry, ConnectionConfig config, InetSocketAddress address) {
        this.resources = resources;
        this.registry = registry;
        this.config = config;
        this.address = address;
        this.peer = SocketAcceptor.name(address);
    }

    Mono<UcxConnection> connect() {
        return Mono.create(sink -> {
            Attempt attempt = new Attempt(sink);
            // Not called for a connection that the subscriber got; one that it did not get any more is closed.
            sink.onCancel(attempt::giveUp);
            attempt.begin();
        });
    }

    /** On the thread of the socket loop until the server's address has come, from then on the connection's engine. */
    private final class Attempt implements HandshakeSocket.Listener, HandshakeOutput {

        private final MonoSink<UcxConnection> sink;
        private final ClientHandshake handshake;
        private final AtomicBoolean ended = new AtomicBoolean();
        private volatile @Nullable Disposable timeout;
        private volatile @Nullable HandshakeSocket socket;
        private volatile @Nullable ConnectionCore connection;
        private volatile boolean givenUp;
        private @Nullable PeerFacts server;
        private @Nullable Pairing pairing;

        Attempt(MonoSink<UcxConnection> sink) {
            this.sink = sink;
            this.handshake = new ClientHandshake(PeerFacts.here(config, registry), ControlFields.NONE, config.protocol().authentication(),
                    Schedulers.boundedElastic(), peer, this);
        }

        void begin() {
            timeout = Schedulers.parallel().schedule(this::timedOut, config.handshakeTimeout().toMillis(), TimeUnit.MILLISECONDS);
            try {
                HandshakeSocket begun = HandshakeSocket.connect(resources.sockets(), address, this);
                socket = begun;
                if (givenUp) {
                    begun.close();
                }
            } catch (IOException e) {
                fail(failure(e));
            }
        }

        private void timedOut() {
            fail(new UcxException(UcxStatus.TIMED_OUT, "connect", peer, "no answer within " + config.handshakeTimeout()));
            giveUp();
        }

        /** Answers whether nobody has heard of an end before. */
        private boolean end() {
            Disposable running = timeout;
            if (running != null) {
                running.dispose();
            }
            return ended.compareAndSet(false, true);
        }

        private void fail(RuntimeException error) {
            if (end()) {
                sink.error(error);
            }
        }

        void giveUp() {
            end();
            givenUp = true;
            ConnectionCore made = connection;
            HandshakeSocket open = socket;
            if (made != null) {
                made.execute(worker -> {
                    Pairing begun = pairing;
                    if (begun != null) {
                        begun.giveUp();
                    }
                });
            } else if (open != null) {
                execute(handshake::close);
                open.close();
            }
        }

        @Override
        public void connected(HandshakeSocket connected) {
            socket = connected;
            handshake.start();
        }

        @Override
        public void received(byte[] bytes) {
            ConnectionCore made = connection;
            if (made != null && made.socket.received(bytes)) {
                return;
            }
            ControlFrame frame = server == null ? ControlFrame.parse(bytes) : null;
            PairingFrame found = server == null ? null : PairingFrame.parse(bytes);
            if (frame != null) {
                handshake.received(frame);
            } else if (found != null && found.type() == PairingFrame.Type.ADDRESS && connection == null) {
                pair(found);
            } else {
                HandshakeSocket open = socket;
                if (open != null) {
                    open.failed(new IOException("what answers there is no server of this library, or of another version"));
                }
            }
        }

        @Override
        public void send(ControlFrame frame) {
            HandshakeSocket open = socket;
            if (open != null) {
                open.send(frame.toBytes());
            }
        }

        @Override
        public void execute(Runnable task) {
            resources.sockets().execute(task);
        }

        @Override
        public void connected(PeerFacts peerFacts) {
            server = peerFacts;
        }

        @Override
        public void failed(HandshakeFailure failure) {
            registry.refused(peer, failure);
            HandshakeSocket open = socket;
            if (open != null) {
                open.finish(config.closeTimeout());
            }
            fail(failure.toException(peer));
        }

        private void pair(PairingFrame found) {
            HandshakeSocket open = socket;
            if (givenUp || open == null) {
                return;
            }
            ConnectionCore made = new ConnectionCore(registry, config, peer);
            connection = made;
            made.execute(worker -> {
                Pairing begun = new Pairing(made, true, found.token(), this::ready, this::fail);
                pairing = begun;
                made.with(open, begun);
                if (givenUp) {
                    begun.giveUp();
                } else {
                    begun.meet(found.address(), () -> {
                        begun.expect();
                        open.send(new PairingFrame(PairingFrame.Type.ADDRESS, found.token(), 0, registry.address()).toBytes());
                    });
                }
            }, error -> {
                open.close();
                fail(error);
            });
        }

        private void ready(UcpEndpoint endpoint) {
            ConnectionCore made = connection;
            if (made != null && made.connected(server)) {
                UcxConnection connected;
                try {
                    connected = new UcxConnection(made, resources, endpoint, server);
                } catch (RuntimeException e) {
                    // The endpoint has failed in the meantime.
                    fail(e);
                    made.beginClose(CloseMode.FORCE);
                    return;
                }
                if (end()) {
                    sink.success(connected);
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
                fail(failure(cause));
            } else {
                made.execute(worker -> made.socket.ended(), this::fail);
            }
        }

        private UcxException failure(IOException cause) {
            if (resources.isDisposed()) {
                return new UcxClosedException("connect", peer, "these resources are closed");
            }
            return new UcxException(cause instanceof ConnectException ? UcxStatus.NOT_CONNECTED : UcxStatus.CONNECTION_RESET, "connect", peer,
                    String.valueOf(cause.getMessage()), cause);
        }
    }
}
