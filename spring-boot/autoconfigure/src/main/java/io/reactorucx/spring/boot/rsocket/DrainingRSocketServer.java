package io.reactorucx.spring.boot.rsocket;

import io.reactorucx.spring.boot.UcxProperties;
import io.rsocket.Closeable;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.rsocket.server.RSocketServer;
import reactor.core.publisher.Mono;

/**
 * A server of RSocket that ends its requests before its connections.
 *
 * <p>Spring Boot stops it in a phase before that of web servers. {@link #stop()} does not wait there: the others would
 * take new clients meanwhile, and their time would come on top.
 *
 * <p><b>Threading:</b> that of the context. <b>Ownership:</b> {@link #stop()} ends the connections, and
 * {@link #stopLater()} tells when that is done. <b>Errors:</b> {@link #start()} throws what the transport reports.
 *
 * @param <T> what the transport's server is
 */
final class DrainingRSocketServer<T extends Closeable> implements RSocketServer {

    private static final Logger LOG = LoggerFactory.getLogger(DrainingRSocketServer.class);
    private static final Duration BIND_TIMEOUT = Duration.ofSeconds(30);

    private final Binding<T> binding;
    private final RequestDrain drain;
    private final UcxProperties.Shutdown shutdown;
    private volatile @Nullable T bound;
    private volatile Mono<Void> end = Mono.empty();

    DrainingRSocketServer(Binding<T> binding, RequestDrain drain, UcxProperties.Shutdown shutdown) {
        this.binding = binding;
        this.drain = drain;
        this.shutdown = shutdown;
    }

    /**
     * How a transport's server starts.
     *
     * @param <T> what it is
     * @param transport its name for the log
     * @param start starts to listen
     * @param address where it listens
     * @param refuse lets no client connect any more, where the transport can do that alone
     */
    record Binding<T extends Closeable>(String transport, Mono<T> start, Function<T, InetSocketAddress> address,
            Consumer<T> refuse) {
    }

    @Override
    public void start() {
        T server = binding.start().block(BIND_TIMEOUT);
        bound = server;
        LOG.info("RSocket is served over {} at {}", binding.transport(), address());
        if (server != null) {
            awaitEnd(server);
        }
    }

    /** A thread that is no daemon keeps the process alive, as that of Spring Boot's server over TCP does. */
    private static void awaitEnd(Closeable server) {
        Thread.ofPlatform().name("rsocket").daemon(false).start(() -> server.onClose().onErrorComplete().block());
    }

    @Override
    public void stop() {
        stopLater().subscribe();
    }

    /** Drains the requests and ends the connections, or completes with the stop that does so already. */
    Mono<Void> stopLater() {
        return Mono.defer(() -> {
            T server = bound;
            if (server != null) {
                bound = null;
                end = end(server).cache();
            }
            return end;
        });
    }

    private Mono<Void> end(T server) {
        return Mono.defer(() -> {
            binding.refuse().accept(server);
            return drain.drain(shutdown.gracePeriod()).then(Mono.defer(() -> {
                server.dispose();
                return server.onClose();
            })).timeout(shutdown.timeout()).onErrorResume(error -> {
                LOG.warn("The server of RSocket over {} did not end in order, with {} requests in flight",
                        binding.transport(), drain.inFlight(), error);
                return Mono.empty();
            });
        });
    }

    @Override
    public @Nullable InetSocketAddress address() {
        T server = bound;
        return server == null ? null : binding.address().apply(server);
    }
}
