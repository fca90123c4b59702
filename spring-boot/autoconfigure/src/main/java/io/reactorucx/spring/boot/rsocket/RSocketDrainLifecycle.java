package io.reactorucx.spring.boot.rsocket;

import io.reactorucx.spring.boot.UcxProperties;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.context.SmartLifecycle;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Waits for the end of RSocket servers that Spring Boot has stopped, in the phase in which the web servers end their
 * requests: all of them have the same time for that.
 *
 * <p><b>Threading:</b> that of the context. <b>Ownership:</b> none; it stops servers that run still. <b>Errors:</b>
 * none.
 */
final class RSocketDrainLifecycle implements SmartLifecycle {

    private final List<DrainingRSocketServer<?>> servers = new CopyOnWriteArrayList<>();
    private final UcxProperties.Shutdown shutdown;
    private volatile boolean running;

    RSocketDrainLifecycle(UcxProperties.Shutdown shutdown) {
        this.shutdown = shutdown;
    }

    void add(DrainingRSocketServer<?> server) {
        servers.add(server);
    }

    @Override
    public void start() {
        running = true;
    }

    @Override
    public void stop() {
        end().block(shutdown.timeout().plusSeconds(5));
    }

    @Override
    public void stop(Runnable callback) {
        end().doFinally(end -> callback.run()).subscribe();
    }

    private Mono<Void> end() {
        running = false;
        return Flux.fromIterable(servers).flatMap(DrainingRSocketServer::stopLater, Integer.MAX_VALUE).then();
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return UcxRSocketLifecycle.PHASE;
    }
}
