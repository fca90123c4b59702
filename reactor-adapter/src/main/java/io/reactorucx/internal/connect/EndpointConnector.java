package io.reactorucx.internal.connect;

import io.reactorucx.core.EndpointOptions;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.core.UcxException;
import io.reactorucx.core.UcxStatus;
import io.reactorucx.engine.Command;
import io.reactorucx.internal.config.ConnectionConfig;
import io.reactorucx.internal.connection.ConnectionCore;
import io.reactorucx.internal.connection.EngineConnections;
import io.reactorucx.internal.frame.ControlFields;
import io.reactorucx.internal.frame.ControlFrame;
import io.reactorucx.internal.handshake.ClientHandshake;
import io.reactorucx.internal.handshake.ConnectListener;
import io.reactorucx.internal.handshake.HandshakeCallbacks;
import io.reactorucx.internal.handshake.HandshakeFailure;
import io.reactorucx.internal.handshake.PeerInfo;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.scheduler.Schedulers;

/** Makes one connection from the client's side: an endpoint, then the handshake, or a flush where the peer is raw. */
public final class EndpointConnector {

    private final EngineConnections registry;
    private final ConnectionConfig config;
    private final @Nullable InetSocketAddress address;
    private final byte @Nullable [] workerAddress;
    private final ConnectionCore connection;
    private final long id = ThreadLocalRandom.current().nextLong();

    public EndpointConnector(EngineConnections registry, ConnectionConfig config,
            @Nullable InetSocketAddress address,
            byte @Nullable [] workerAddress) {
        this.registry = registry;
        this.config = config;
        this.address = address;
        this.workerAddress = workerAddress;
        String peer = address == null ? "worker address of " + (workerAddress == null ? 0 : workerAddress.length)
                + " bytes"
                : address.getAddress().getHostAddress() + ":" + address.getPort();
        this.connection = new ConnectionCore(registry, config, peer);
    }

    public Mono<Established> connect() {
        return Mono.<Established>create(sink -> {
            Connect connect = new Connect(sink);
            sink.onCancel(() -> connection.execute(worker -> connect.giveUp()));
            registry.engine().execute(connect);
        }).timeout(config.handshakeTimeout()).onErrorMap(TimeoutException.class, timeout ->
                new UcxException(UcxStatus.TIMED_OUT, "connect",
                connection.peer(), "no answer within " + config.handshakeTimeout(), timeout));
    }

    private final class Connect implements Command, ConnectListener, HandshakeCallbacks {

        private final MonoSink<Established> sink;
        private @Nullable UcpEndpoint endpoint;
        private @Nullable ClientHandshake handshake;

        Connect(MonoSink<Established> sink) {
            this.sink = sink;
        }

        @Override
        public void run(UcpWorker worker) {
            if (!connection.phase().isConnecting()) {
                return;
            }
            try {
                EndpointOptions options = new EndpointOptions(config.errorMode(), connection.peer(),
                        connection::endpointFailed);
                UcpEndpoint made = address != null ? worker.connect(address, options)
                        : registry.endpoints().other(Objects.requireNonNull(workerAddress), options);
                endpoint = made;
                connection.attachEndpoint(made, this);
                connection.wireUpStarted();
                // A flush ends when the endpoint is wired up. Nothing may be sent before: UCX 1.13 would choose how by
                // the limits of tcp, and lose what does not fit into those of the shared memory that it uses then.
                if (made.flush((status, length, tag) -> wired(status))) {
                    wired(0);
                }
            } catch (RuntimeException e) {
                connection.abandonConnecting();
                sink.error(e);
            }
        }

        private void wired(int status) {
            // In error mode NONE an endpoint that has failed can be closed only now.
            connection.wireUpEnded();
            UcpEndpoint made = endpoint;
            if (status != 0 || made == null || !connection.phase().isConnecting()) {
                return;
            }
            if (config.raw()) {
                ready(null);
                return;
            }
            ControlFields more = ControlFields.NONE.with(ControlFields.Key.CONNECTION_ID, id);
            if (address == null) {
                more = more.with(ControlFields.Key.WORKER_ADDRESS, made.worker().address());
            }
            ClientHandshake started = new ClientHandshake(registry.ownInfo(config), more,
                    config.protocol().authentication(),
                    Schedulers.boundedElastic(), connection.peer(), this);
            handshake = started;
            started.start();
        }

        @Override
        public void send(ControlFrame frame) {
            if (!connection.sendControl(frame)) {
                giveUp();
                sink.error(new UcxException(UcxStatus.NO_RESOURCE, "connect", connection.peer(),
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
            registry.refused(connection.peer(), failure);
            if (failure.reason() == HandshakeFailure.Kind.PEER) {
                connection.abandonConnecting();
            } else {
                // The server closes when it has read why; if it does not, this side does.
                connection.rejected();
            }
            sink.error(failure.toException(connection.peer()));
        }

        private void giveUp() {
            over();
            connection.abandonConnecting();
        }

        private void over() {
            if (handshake != null) {
                handshake.close();
            }
        }

        private void ready(@Nullable PeerInfo peer) {
            UcpEndpoint made = endpoint;
            if (made != null && !made.isClosed() && made.failure() == 0 && connection.established(peer)) {
                sink.success(new Established(connection, made, peer));
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
         * Whether the endpoint leads to its own worker: this side is both peers. A peer that sends this side's HELLO
         * back proves nothing.
         */
        private boolean isOwn(ControlFrame frame) {
            UcpEndpoint made = endpoint;
            byte[] itsId = frame.fields().bytes(ControlFields.Key.CONNECTION_ID);
            return frame.type() == ControlFrame.Type.HELLO && made != null && address == null && itsId != null
                    && ByteBuffer.wrap(itsId).getLong() == id
                    && (config.protocol().authentication() == null
                    || Arrays.equals(workerAddress, made.worker().address()));
        }

        @Override
        public void failed(RuntimeException error) {
            over();
            sink.error(error);
        }

        @Override
        public void reject(RuntimeException cause) {
            sink.error(cause);
        }
    }
}
