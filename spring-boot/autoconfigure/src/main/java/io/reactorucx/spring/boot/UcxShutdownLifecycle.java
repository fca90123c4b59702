package io.reactorucx.spring.boot;

import io.reactorucx.UcxBoundServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.SmartLifecycle;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Drains the servers that are beans when the context stops, in the phase in which Spring Boot's web servers end their
 * requests: new clients are refused, handlers go on for the grace period. Later the context disposes of the resources.
 *
 * <p><b>Threading:</b> that of the context. <b>Ownership:</b> the servers end. <b>Errors:</b> logged.
 */
final class UcxShutdownLifecycle implements SmartLifecycle {

    /** The phase of Spring Boot's web servers for the same. */
    static final int PHASE = SmartLifecycle.DEFAULT_PHASE - 1024;

    private static final Logger LOG = LoggerFactory.getLogger(UcxShutdownLifecycle.class);

    private final ConfigurableListableBeanFactory beans;
    private final Duration gracePeriod;
    private final Duration timeout;
    private volatile boolean running;

    UcxShutdownLifecycle(ConfigurableListableBeanFactory beans, UcxProperties.Shutdown properties) {
        this.beans = beans;
        this.timeout = properties.timeout();
        this.gracePeriod = properties.gracePeriod();
        PropertyTarget target = new PropertyTarget("reactor.ucx.shutdown");
        target.set("timeout", timeout, UcxShutdownLifecycle::checkTimeout);
        target.set("grace-period", gracePeriod, period -> checkGracePeriod(period, timeout));
    }

    private static void checkTimeout(Duration timeout) {
        if (timeout.compareTo(Duration.ofMillis(1)) < 0 || timeout.compareTo(Duration.ofHours(1)) > 0) {
            throw new IllegalArgumentException("timeout " + timeout + ": must be in 1 ms..1 h");
        }
    }

    private static void checkGracePeriod(Duration period, Duration timeout) {
        if (period.isNegative() || period.compareTo(timeout) > 0) {
            throw new IllegalArgumentException("grace-period " + period
                    + ": must be in 0..reactor.ucx.shutdown.timeout, " + timeout);
        }
    }

    @Override
    public void start() {
        running = true;
    }

    @Override
    public void stop() {
        drain().block(timeout.plusSeconds(5));
    }

    @Override
    public void stop(Runnable callback) {
        drain().doFinally(end -> callback.run()).subscribe();
    }

    private Mono<Void> drain() {
        running = false;
        return Flux.fromIterable(servers()).flatMap(server -> server.disposeLater(gracePeriod, timeout)
                        .onErrorResume(error -> {
                            LOG.warn("{} did not end in order", server, error);
                            return Mono.empty();
                        }), Integer.MAX_VALUE)
                .then();
    }

    /** Returns those that exist: the end of a context starts none. */
    private List<UcxBoundServer> servers() {
        List<UcxBoundServer> found = new ArrayList<>();
        for (String name : beans.getBeanNamesForType(UcxBoundServer.class, false, false)) {
            if (beans.containsSingleton(name) && beans.getBean(name) instanceof UcxBoundServer server) {
                found.add(server);
            }
        }
        return found;
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
