package io.reactorucx.spring.boot.rsocket;

import io.rsocket.SocketAcceptor;
import java.net.InetSocketAddress;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/**
 * The server over UCX beside that of {@code spring.rsocket.server.port}. It starts and stops with the context, and the
 * property {@value #PORT} has its port.
 *
 * <p><b>Threading:</b> that of the context. <b>Ownership:</b> the context stops it. <b>Errors:</b> a server that cannot
 * listen stops the start.
 */
public final class UcxRSocketLifecycle implements SmartLifecycle {

    /** The property with the port at which the server listens. */
    public static final String PORT = "local.ucx.rsocket.server.port";

    /** The phase in which Spring Boot's web servers end their requests. */
    static final int PHASE = SmartLifecycle.DEFAULT_PHASE - 1024;
    private static final String PROPERTIES = "reactor.ucx.ports";

    private final DrainingRSocketServer<?> server;
    private final ConfigurableEnvironment environment;
    private volatile boolean running;

    UcxRSocketLifecycle(UcxRSocketServerFactory factory, SocketAcceptor acceptor,
            ConfigurableEnvironment environment) {
        this.server = factory.create(acceptor);
        this.environment = environment;
    }

    @Override
    public void start() {
        server.start();
        running = true;
        InetSocketAddress address = server.address();
        if (address != null) {
            environment.getPropertySources().addFirst(
                    new MapPropertySource(PROPERTIES, Map.of(PORT, address.getPort())));
        }
    }

    @Override
    public void stop() {
        running = false;
        server.stop();
    }

    @Override
    public void stop(Runnable callback) {
        running = false;
        server.stopLater().doFinally(end -> callback.run()).subscribe();
    }

    /** {@return where the server listens, null while it does not} */
    public @Nullable InetSocketAddress address() {
        return server.address();
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
