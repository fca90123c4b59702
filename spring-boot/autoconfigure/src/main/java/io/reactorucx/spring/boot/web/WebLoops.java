package io.reactorucx.spring.boot.web;

import io.reactorucx.netty.resources.UcxLoopResources;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.http.client.ReactorResourceFactory;
import reactor.netty.http.client.HttpClient;

/**
 * The loops of the application's web server and clients, and the clients' connections.
 *
 * <p><b>Threading:</b> that of the context. <b>Ownership:</b> the context ends the clients' connections, and the loops
 * unless they are the application's own. <b>Errors:</b> none.
 */
final class WebLoops implements DisposableBean {

    private static final Logger LOG = LoggerFactory.getLogger(WebLoops.class);

    private final AtomicBoolean clientsLogged = new AtomicBoolean();
    private final @Nullable UcxLoopResources loops;
    private final @Nullable ReactorResourceFactory factory;

    private WebLoops(@Nullable UcxLoopResources loops, @Nullable ReactorResourceFactory factory) {
        this.loops = loops;
        this.factory = factory;
    }

    /** Returns loops that the context ends. */
    static WebLoops owned(UcxLoopResources loops, @Nullable Duration quietPeriod) {
        ReactorResourceFactory factory = new ReactorResourceFactory();
        factory.setLoopResourcesSupplier(() -> loops);
        if (quietPeriod != null) {
            factory.setShutdownQuietPeriod(quietPeriod);
        }
        return started(loops, factory);
    }

    /** Returns loops that the application ends. */
    static WebLoops borrowed(UcxLoopResources loops) {
        ReactorResourceFactory factory = new ReactorResourceFactory();
        factory.setLoopResources(loops);
        return started(loops, factory);
    }

    private static WebLoops started(UcxLoopResources loops, ReactorResourceFactory factory) {
        factory.setUseGlobalResources(false);
        factory.afterPropertiesSet();
        return new WebLoops(loops, factory);
    }

    /** Returns none: the web server and the clients stay with what Spring Boot gives them. */
    static WebLoops none() {
        return new WebLoops(null, null);
    }

    @Nullable UcxLoopResources loops() {
        return loops;
    }

    /** Returns whether there are loops of UCX. */
    boolean active() {
        return factory != null;
    }

    /** Hands the loops, with connections for clients, to what runs on them. */
    void ifActive(Consumer<ReactorResourceFactory> user) {
        if (factory != null) {
            user.accept(factory);
        }
    }

    /** Returns a client with the connections of these loops. */
    HttpClient client() {
        if (clientsLogged.compareAndSet(false, true)) {
            LOG.info("HTTP clients of the application connect over UCX, but to the servers of"
                    + " reactor.ucx.netty.plain-tcp.remotes over plain TCP");
        }
        return HttpClient.create(Objects.requireNonNull(factory, "factory").getConnectionProvider());
    }

    /** Returns the client on these loops. */
    HttpClient runOn(HttpClient client) {
        return loops == null ? client : client.runOn(loops);
    }

    @Override
    public void destroy() {
        if (factory != null) {
            factory.destroy();
        }
    }
}
