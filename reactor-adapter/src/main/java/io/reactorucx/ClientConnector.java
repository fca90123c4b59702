package io.reactorucx;

import io.reactorucx.core.EndpointOptions;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.core.UcxException;
import io.reactorucx.core.UcxStatus;
import io.reactorucx.engine.Command;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/** Makes one connection from the client's side: an endpoint, then HELLO and WELCOME, or a flush where the peer is raw. */
final class ClientConnector {

    private final UcxResources resources;
    private final ConnectionRegistry registry;
    private final ConnectionConfig config;
    private final @Nullable InetSocketAddress address;
    private final byte @Nullable [] workerAddress;
    private final ConnectionCore connection;

    ClientConnector(UcxResources resources, ConnectionRegistry registry, ConnectionConfig config, @Nullable InetSocketAddress address,
            byte @Nullable [] workerAddress) {
        this.resources = resources;
        this.registry = registry;
        this.config = config;
        this.address = address;
        this.workerAddress = workerAddress;
        String peer = address == null ? "worker address of " + (workerAddress == null ? 0 : workerAddress.length) + " bytes"
                : address.getAddress().getHostAddress() + ":" + address.getPort();
        this.connection = new ConnectionCore(registry, config, peer, ThreadLocalRandom.current().nextLong(), address != null);
    }

    Mono<UcxConnection> connect() {
        return Mono.<UcxConnection>create(sink -> {
            sink.onCancel(() -> connection.execute(worker -> connection.giveUp()));
            registry.engine().execute(new Connect(sink));
        }).timeout(config.handshakeTimeout()).onErrorMap(TimeoutException.class, timeout -> new UcxException(UcxStatus.TIMED_OUT, "connect",
                connection.peer(), "no answer within " + config.handshakeTimeout(), timeout));
    }

    private final class Connect implements Command, Handshake {

        private final MonoSink<UcxConnection> sink;
        private @Nullable UcpEndpoint endpoint;

        Connect(MonoSink<UcxConnection> sink) {
            this.sink = sink;
        }

        @Override
        public void run(UcpWorker worker) {
            if (connection.state() != ConnectionCore.State.CONNECTING) {
                return;
            }
            try {
                EndpointOptions options = new EndpointOptions(config.errorMode(), connection.peer(), connection::endpointFailed);
                UcpEndpoint made = address != null ? worker.connect(address, options)
                        : worker.connect(Objects.requireNonNull(workerAddress), options);
                endpoint = made;
                connection.begin(made, this);
                connection.wiring();
                // A flush ends when the endpoint is wired up. Nothing may be sent before: UCX 1.13 would choose how by the limits of tcp, and
                // lose what does not fit into those of the shared memory that it uses then.
                if (made.flush((status, length, tag) -> wired(status))) {
                    wired(0);
                }
            } catch (RuntimeException e) {
                connection.giveUp();
                sink.error(e);
            }
        }

        private void wired(int status) {
            // In error mode NONE an endpoint that has failed can be closed only now.
            connection.wired();
            UcpEndpoint made = endpoint;
            if (status != 0 || made == null || connection.state() != ConnectionCore.State.CONNECTING) {
                return;
            }
            if (config.raw()) {
                ready(null);
            } else if (!connection.sendControl(ControlFrame.Type.HELLO, address != null ? new byte[0] : made.worker().address())) {
                connection.giveUp();
                sink.error(new UcxException(UcxStatus.NO_RESOURCE, "connect", connection.peer(), "the handshake could not be sent"));
            }
        }

        private void ready(@Nullable ControlFrame peer) {
            UcpEndpoint made = endpoint;
            if (made != null && !made.isClosed() && made.failure() == 0 && connection.connected(UcxConnection.maxHeaderBytes(made, peer))) {
                sink.success(new UcxConnection(connection, resources, made, peer));
            }
        }

        @Override
        public void received(ControlFrame frame) {
            switch (frame.type()) {
                case WELCOME -> ready(frame);
                case REJECT -> {
                    connection.giveUp();
                    sink.error(new UcxException(UcxStatus.REJECTED, "connect", connection.peer(), frame.reason()));
                }
                case HELLO -> {
                    // Our own, when the endpoint leads to its own worker: this side is both peers.
                    if (frame.nonce() == connection.nonce()) {
                        ready(frame);
                    }
                }
                default -> { }
            }
        }

        @Override
        public void failed(RuntimeException error) {
            sink.error(error);
        }

        @Override
        public void reject(RuntimeException cause) {
            sink.error(cause);
        }
    }
}
