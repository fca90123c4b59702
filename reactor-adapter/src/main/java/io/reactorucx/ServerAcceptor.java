package io.reactorucx;

import io.reactorucx.core.CloseMode;
import io.reactorucx.core.EndpointOptions;
import io.reactorucx.core.UcpConnectionRequest;
import io.reactorucx.core.UcpEndpoint;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.engine.Command;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Makes connections from the server's side: an endpoint on the next engine, HELLO, the user's handler, WELCOME. */
final class ServerAcceptor {

    private static final Logger LOG = LoggerFactory.getLogger(ServerAcceptor.class);

    private final UcxResources resources;
    private final ConnectionConfig config;
    private final Function<? super UcxConnection, ? extends Publisher<Void>> handler;
    private final boolean acceptWorkerAddresses;
    private final ConnectionRegistry.WorkerAddressAcceptor byWorkerAddress = this::acceptWorkerAddress;
    private final Set<ConnectionCore> open = ConcurrentHashMap.newKeySet();

    ServerAcceptor(UcxResources resources, ConnectionConfig config, boolean acceptWorkerAddresses,
            Function<? super UcxConnection, ? extends Publisher<Void>> handler) {
        this.acceptWorkerAddresses = acceptWorkerAddresses && !config.raw();
        this.resources = resources;
        this.config = config;
        this.handler = handler;
    }

    Mono<UcxBoundServer> bind(InetSocketAddress address) {
        ConnectionRegistry listening = resources.nextRegistry();
        return UcxResources.onEngine(listening.engine(), worker -> new UcxBoundServer(this, listening,
                        worker.listen(address, request -> accept(listening, request))))
                .delayUntil(bound -> onEachEngine(registry -> {
                    if (acceptWorkerAddresses) {
                        registry.acceptor(byWorkerAddress);
                    }
                }).onErrorResume(error -> bound.close().then(Mono.error(error))))
                .doOnNext(resources::add);
    }

    private Mono<Void> onEachEngine(Consumer<ConnectionRegistry> action) {
        return Flux.fromIterable(resources.registries()).flatMap(registry -> InsistentCommand.mono(registry.engine(), worker -> {
            action.accept(registry);
            return registry;
        })).then();
    }

    int connections() {
        return open.size();
    }

    Mono<Void> close() {
        return onEachEngine(registry -> registry.removeAcceptor(byWorkerAddress)).onErrorComplete()
                .thenMany(Flux.defer(() -> Flux.fromIterable(open)))
                .flatMap(connection -> connection.close(CloseMode.FLUSH).timeout(config.closeTimeout().plusSeconds(1)).onErrorComplete(),
                        Integer.MAX_VALUE).then();
    }

    private void accept(ConnectionRegistry listening, UcpConnectionRequest request) {
        ConnectionRegistry registry = resources.nextRegistry();
        InetSocketAddress client = request.clientAddress();
        String peer = client.getAddress().getHostAddress() + ":" + client.getPort();
        ConnectionCore connection = new ConnectionCore(registry, config, peer, ThreadLocalRandom.current().nextLong(), true);
        registry.engine().execute(new Accept(connection, null) {
            @Override
            UcpEndpoint endpoint(UcpWorker worker, EndpointOptions options) {
                return worker.accept(request, options);
            }

            @Override
            public void reject(RuntimeException cause) {
                super.reject(cause);
                // Each request needs an answer, or the client waits and the listener's room for requests fills up.
                InsistentCommand.mono(listening.engine(), worker -> {
                    request.reject();
                    return request;
                }).subscribe(done -> { }, error -> LOG.debug("[{}] not rejected", connection.peer(), error));
            }
        });
    }

    private void acceptWorkerAddress(ConnectionRegistry registry, ControlFrame hello) {
        String peer = "worker address of " + hello.rest().length + " bytes";
        ConnectionCore connection = new ConnectionCore(registry, config, peer, hello.nonce(), false);
        registry.engine().execute(new Accept(connection, hello) {
            @Override
            UcpEndpoint endpoint(UcpWorker worker, EndpointOptions options) {
                return worker.connect(hello.rest(), options);
            }
        });
    }

    /** One connection from its request to the handler's end. */
    private abstract class Accept implements Command, Handshake {

        private final ConnectionCore connection;
        private final @Nullable ControlFrame hello;
        private @Nullable UcpEndpoint endpoint;
        private @Nullable Disposable timeout;

        Accept(ConnectionCore connection, @Nullable ControlFrame hello) {
            this.connection = connection;
            this.hello = hello;
        }

        abstract UcpEndpoint endpoint(UcpWorker worker, EndpointOptions options);

        @Override
        public void run(UcpWorker worker) {
            try {
                UcpEndpoint made = endpoint(worker, new EndpointOptions(config.errorMode(), connection.peer(), connection::endpointFailed));
                endpoint = made;
                connection.begin(made, this);
            } catch (RuntimeException e) {
                LOG.warn("[{}] not accepted", connection.peer(), e);
                return;
            }
            open.add(connection);
            connection.onDispose().subscribe(ignored -> { }, error -> { }, () -> open.remove(connection));
            if (config.raw()) {
                ready(null);
            } else if (hello != null) {
                received(hello);
            } else {
                timeout = Schedulers.parallel().schedule(() -> connection.execute(ignored -> timedOut()),
                        config.handshakeTimeout().toMillis(), TimeUnit.MILLISECONDS);
            }
        }

        private void timedOut() {
            if (connection.state() == ConnectionCore.State.CONNECTING) {
                LOG.warn("[{}] said no HELLO within {}", connection.peer(), config.handshakeTimeout());
                connection.giveUp();
            }
        }

        @Override
        public void received(ControlFrame frame) {
            if (timeout != null) {
                timeout.dispose();
            }
            String refusal = refusal(frame);
            if (refusal == null) {
                ready(frame);
            } else {
                LOG.warn("[{}] rejected: {}", connection.peer(), refusal);
                connection.sendControl(ControlFrame.Type.REJECT, refusal.getBytes(StandardCharsets.UTF_8));
                // The client closes when it has read why; if it does not, this side does.
                connection.refused();
            }
        }

        private @Nullable String refusal(ControlFrame frame) {
            if (frame.type() != ControlFrame.Type.HELLO) {
                return "the first frame was " + frame.type() + " and not HELLO";
            }
            if (frame.protocolVersion() != ControlFrame.PROTOCOL_VERSION) {
                return "protocol version " + frame.protocolVersion() + " there, " + ControlFrame.PROTOCOL_VERSION + " here";
            }
            if (frame.errorMode() != config.errorMode()) {
                return "error mode " + frame.errorMode() + " there, " + config.errorMode() + " here";
            }
            return null;
        }

        private void ready(@Nullable ControlFrame peer) {
            UcpEndpoint made = endpoint;
            if (made == null) {
                return;
            }
            if (!connection.connected(UcxConnection.maxHeaderBytes(made, peer))) {
                return;
            }
            UcxConnection accepted = new UcxConnection(connection, resources, made, peer);
            // Ahead of all that the handler may say, a FIN included. What the client answers is only delivered after this call.
            if (peer != null && !connection.sendControl(ControlFrame.Type.WELCOME, new byte[0])) {
                // Without it the client does not take the connection, and gives up in its time.
                connection.beginClose(CloseMode.FORCE);
                return;
            }
            Mono<Void> handled;
            try {
                handled = Mono.from(handler.apply(accepted));
            } catch (RuntimeException e) {
                handled = Mono.error(e);
            }
            Disposable handling = handled.subscribe(ignored -> { }, error -> {
                LOG.warn("[{}] its handler failed: {}", connection.peer(), error.toString());
                LOG.debug("[{}] its handler failed", connection.peer(), error);
                accepted.dispose();
            }, accepted::dispose);
            connection.onDispose().subscribe(ignored -> { }, error -> { }, handling::dispose);
        }

        @Override
        public void failed(RuntimeException error) {
            LOG.debug("[{}] lost before it was connected", connection.peer(), error);
        }

        @Override
        public void reject(RuntimeException cause) {
            LOG.warn("[{}] not accepted", connection.peer(), cause);
        }
    }
}
