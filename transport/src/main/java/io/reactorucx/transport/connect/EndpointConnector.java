package io.reactorucx.transport.connect;

import io.reactorucx.core.CloseMode;
import io.reactorucx.core.EndpointOptions;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpPeerAddress;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.engine.Command;
import io.reactorucx.transport.command.SharedTimer;
import io.reactorucx.transport.config.ConnectionConfig;
import io.reactorucx.transport.config.TransportRequirement;
import io.reactorucx.transport.connection.ConnectionCore;
import io.reactorucx.transport.connection.EngineConnections;
import io.reactorucx.transport.endpoint.PeerAdmission;
import io.reactorucx.transport.frame.ControlFields;
import io.reactorucx.transport.frame.ControlFrame;
import io.reactorucx.transport.handshake.AuthenticatorExecutor;
import io.reactorucx.transport.handshake.ClientHandshake;
import io.reactorucx.transport.handshake.ConnectListener;
import io.reactorucx.transport.handshake.ConnectionIdentity;
import io.reactorucx.transport.handshake.HandshakeCallbacks;
import io.reactorucx.transport.handshake.HandshakeFailure;
import io.reactorucx.transport.handshake.PeerInfo;
import io.reactorucx.transport.handshake.PeerOrigin;
import io.reactorucx.transport.handshake.Rejection;
import io.reactorucx.transport.socket.PeerName;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.ForkJoinPool;
import org.jspecify.annotations.Nullable;

/** Connects over UCX alone: an endpoint, then the handshake, or with a raw peer a flush. */
public final class EndpointConnector implements Connector {

    private final EngineConnections connections;
    private final PendingBindings bindings;
    private final AuthenticatorExecutor authenticators;
    private final ConnectionConfig config;
    private final @Nullable InetSocketAddress address;
    private final byte @Nullable [] workerAddress;
    private final ConnectionIdentity identity;
    private final NewConnection made;
    private final ConnectionCore connection;

    public EndpointConnector(EngineResources resources, ConnectingEngine engine, ConnectionConfig config,
            @Nullable InetSocketAddress address, byte @Nullable [] workerAddress) {
        this.connections = engine.connections();
        this.bindings = engine.bindings();
        this.authenticators = resources.clientAuthenticators();
        this.config = config;
        this.address = address;
        this.workerAddress = workerAddress;
        this.identity = connections.newIdentity();
        this.made = NewConnection.of(connections, config, address != null ? PeerName.of(address)
                : PeerName.ofWorker(Objects.requireNonNull(workerAddress)), config.raw() ? null : identity);
        this.connection = made.connection();
    }

    /** Connects within the time of the handshake; once for each connector. */
    @Override
    public Runnable connect(ConnectCallback callback) {
        try {
            TransportChoice.requireOwn(connections, config.requirement(), "connect");
        } catch (UcxException e) {
            callback.failed(e);
            return () -> { };
        }
        Connect connect = new Connect(callback);
        connect.end.limitedBy(SharedTimer.schedule(config.handshakeTimeout().toNanos(), connect::timedOut));
        connections.engine().execute(connect);
        return () -> {
            connect.end.tryEnd();
            connection.execute(worker -> connect.cancel());
        };
    }

    /**
     * One connect.
     *
     * <p>Thread: engine.
     */
    private final class Connect implements Command, ConnectListener, HandshakeCallbacks {

        private final ConnectEnd end;
        private @Nullable UcpEndpoint endpoint;
        private @Nullable UcpPeerAddress peerAddress;
        private @Nullable ClientHandshake handshake;

        Connect(ConnectCallback callback) {
            this.end = new ConnectEnd(callback);
        }

        /** Thread: the timer's. */
        private void timedOut() {
            connection.executeUrgent(worker -> cancel());
            // The engine may stand still, and the timer is for others, too.
            ForkJoinPool.commonPool().execute(() -> end.fail(new UcxException(UcxStatus.TIMED_OUT, "connect",
                    connection.peer(), "no answer within " + config.handshakeTimeout())));
        }

        @Override
        public void run(UcpWorker worker) {
            if (!connection.phase().isConnecting()) {
                return;
            }
            guarded(() -> {
                Rejection full = made.carrier().reserve(address != null ? PeerOrigin.of(address)
                        : PeerOrigin.UNKNOWN);
                if (full != null) {
                    throw full.toException(connection.peer(), null);
                }
                if (address != null) {
                    made(worker.connect(address, options()), connections.admission().admit(address.getAddress()));
                    return;
                }
                identity.bindAs(true);
                UcpPeerAddress peer = worker.peerAddress(Objects.requireNonNull(workerAddress));
                bindings.reachable(peer, null, reachable -> guarded(() -> connect(reachable)));
            });
        }

        private void connect(UcpPeerAddress reachable) {
            if (!connection.phase().isConnecting()) {
                return;
            }
            if (!reachable.namesTransports()) {
                throw new UcxException(UcxStatus.UNREACHABLE, "connect", connection.peer(),
                        "the worker does not answer at the tcp ports that its address names");
            }
            choice(null).requirePossible(reachable);
            peerAddress = reachable;
            made(connections.endpoints().connectUnpooled(reachable, options()), connections.admission().admitAll());
        }

        private String host() {
            return address == null ? connection.peer() : address.getHostString();
        }

        private EndpointOptions options() {
            return new EndpointOptions(config.errorMode(), connection.peer(), connection::endpointFailed);
        }

        private void guarded(Runnable step) {
            try {
                step.run();
            } catch (RuntimeException e) {
                connection.abandonConnecting();
                end.fail(e);
            }
        }

        private void made(UcpEndpoint connected, PeerAdmission.Admission admission) {
            endpoint = connected;
            connection.end().listen(admission::end);
            made.attach(connected, this);
            connection.wireUpStarted();
            // The flush completes when the endpoint is wired up. Nothing may be sent before: UCX 1.13 would choose the
            // protocol by the limits of tcp, and lose what exceeds the shared memory's that it uses then.
            if (connected.flush((status, length, tag) -> wireUpEnded(status))) {
                wireUpEnded(0);
            }
        }

        private void wireUpEnded(int status) {
            // In error mode NONE a failed endpoint cannot be closed before this.
            connection.wireUpEnded();
            UcpEndpoint made = endpoint;
            if (status != 0 || made == null || !connection.phase().isConnecting()) {
                return;
            }
            if (config.raw()) {
                ready(null);
                return;
            }
            // The endpoint's transports are for the server to refuse, which has to make its own endpoint in any case.
            ControlFields more = address != null ? ControlFields.NONE
                    : ControlFields.NONE.with(ControlFields.Key.WORKER_ADDRESS, made.worker().address())
                    .with(ControlFields.Key.TAKEN_TRANSPORTS, TransportRequirement.bitsOf(made.transports()));
            ClientHandshake started = new ClientHandshake(connections.ownInfo(config), identity, more,
                    config.protocol().authentication(), authenticators, connection.peer(), this);
            handshake = started;
            started.start();
        }

        @Override
        public void send(ControlFrame frame) {
            if (!connection.sendControl(frame)) {
                cancel();
                end.fail(new UcxException(UcxStatus.NO_RESOURCE, "connect", connection.peer(),
                        "the handshake could not be sent"));
            }
        }

        @Override
        public void execute(Runnable task) {
            connection.execute(worker -> task.run());
        }

        @Override
        public void connected(PeerInfo peer) {
            ready(peer);
        }

        @Override
        public void failed(HandshakeFailure failure) {
            connections.handshakeFailed(connection.peer(), failure);
            if (failure.reason() == HandshakeFailure.Kind.PEER) {
                connection.abandonConnecting();
            } else {
                // The server closes when it has read the reason; else this side closes after a timeout.
                connection.rejected();
            }
            end.fail(failure.toException(connection.peer()));
        }

        private void cancel() {
            endHandshake();
            connection.abandonConnecting();
        }

        private void endHandshake() {
            if (handshake != null) {
                handshake.close();
            }
        }

        private void ready(@Nullable PeerInfo peer) {
            UcpEndpoint made = endpoint;
            if (made != null && connection.phase().isConnecting()) {
                guarded(() -> {
                    choice(peer).requireTaken(made, peerAddress);
                    established(made, peer);
                });
            }
        }

        private TransportChoice choice(@Nullable PeerInfo peer) {
            return new TransportChoice(connection, peer, true);
        }

        private void established(UcpEndpoint made, @Nullable PeerInfo peer) {
            if (!made.isClosed() && made.failure() == 0 && connection.established(peer)) {
                if (!end.tryEnd()) {
                    connection.beginClose(CloseMode.FLUSH);
                    return;
                }
                end.connected(new Established(connection, peer, peerAddress, true));
                choice(peer).log(peerAddress, host());
            }
        }

        @Override
        public void received(ControlFrame frame) {
            ClientHandshake waiting = handshake;
            if (waiting == null) {
                return;
            }
            if (isOwn(frame)) {
                waiting.close();
                ready(PeerInfo.of(frame.fields()));
            } else {
                waiting.received(frame);
            }
        }

        /**
         * Returns whether the endpoint leads to its own worker, so that this side's HELLO comes back to it. With an
         * authenticator the addresses have to be the same as well: any peer can send a HELLO back.
         */
        private boolean isOwn(ControlFrame frame) {
            UcpEndpoint made = endpoint;
            byte[] token = frame.fields().bytes(ControlFields.Key.TOKEN);
            return frame.type() == ControlFrame.Type.HELLO && made != null && address == null && token != null
                    && ByteBuffer.wrap(token).getLong() == identity.ownToken()
                    && (config.protocol().authentication() == null
                    || Arrays.equals(workerAddress, made.worker().address()));
        }

        @Override
        public void failed(RuntimeException error) {
            endHandshake();
            end.fail(error);
        }

        @Override
        public void reject(RuntimeException cause) {
            end.fail(cause instanceof UcxClosedException ? new UcxClosedException("connect", connection.peer(),
                    String.valueOf(cause.getMessage()), cause) : cause);
        }
    }
}
