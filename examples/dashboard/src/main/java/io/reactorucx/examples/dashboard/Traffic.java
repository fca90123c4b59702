package io.reactorucx.examples.dashboard;

import io.reactorucx.UcxConnection;
import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.buffer.UcxBufferPool;
import java.time.Duration;
import org.springframework.context.SmartLifecycle;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/**
 * The traffic of the service to its peer: requests, small and large, a stream of messages, and HTTP, all over UCX. The
 * meters count what fails; the traffic goes on with the next connection.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> {@link #stop()} ends the traffic, before Spring stops the loops of
 * HTTP. <b>Errors:</b> none.
 */
final class Traffic implements SmartLifecycle {

    private static final Duration DEADLINE = Duration.ofSeconds(2);
    private static final Duration PULSE = Duration.ofMillis(500);
    private static final Duration AFTER_LOSS = Duration.ofMillis(200);
    private static final Duration LARGE_INTERVAL = Duration.ofMillis(250);

    private static final int REQUESTS_A_SECOND = 400;
    private static final int MESSAGES_A_SECOND = 600;
    private static final int CALLS_A_SECOND = 60;
    private static final int MAX_REQUESTS = 64;
    private static final int MAX_CALLS = 16;
    private static final int REQUEST_BYTES = 64;
    private static final int MESSAGE_BYTES = 1024;
    private static final int LARGE_BYTES = 256 * 1024;

    private final PeerLink link;
    private final UcxBufferPool buffers;
    private final Mono<Void> call;
    private final boolean load;
    private final Disposable.Composite running = Disposables.composite();
    private volatile boolean started;

    Traffic(PeerLink link, UcxBufferPool buffers, WebClient http, boolean load) {
        this.link = link;
        this.buffers = buffers;
        this.call = http.get().uri("/quotes/{symbol}", "UCX").retrieve().toBodilessEntity().then();
        this.load = load;
    }

    @Override
    public void start() {
        started = true;
        byte[] request = new byte[REQUEST_BYTES];
        byte[] message = new byte[MESSAGE_BYTES];
        Mono<Void> small = link.connection().withConnection(connection -> connection.requester().withDeadline(DEADLINE)
                .requestResponse(request)).then();
        Mono<Void> large = link.connection().withConnection(this::requestLarge);
        if (load) {
            run(Wave.of(REQUESTS_A_SECOND), small, MAX_REQUESTS);
            run(Wave.of(CALLS_A_SECOND), call, MAX_CALLS);
            run(ticks(LARGE_INTERVAL), large, MAX_CALLS);
            running.add(echo(Wave.of(MESSAGES_A_SECOND).map(ignored -> message)).subscribe());
        } else {
            run(ticks(PULSE), small, MAX_CALLS);
            run(ticks(PULSE), call, MAX_CALLS);
            running.add(echo(ticks(PULSE).map(ignored -> message)).subscribe());
        }
    }

    private static Flux<?> ticks(Duration interval) {
        return Flux.interval(interval).onBackpressureDrop();
    }

    /** Does something at each tick; ticks for which there are too many in flight are left out. */
    private void run(Flux<?> ticks, Mono<Void> work, int maxInFlight) {
        running.add(ticks.flatMap(ignored -> work.onErrorComplete(), maxInFlight).subscribe());
    }

    private Mono<Void> requestLarge(UcxConnection connection) {
        return buffers.acquireLater(LARGE_BYTES)
                .flatMap(lease -> connection.requester().withDeadline(DEADLINE).requestResponse(lease))
                .doOnNext(UcxBuffer::release)
                .then();
    }

    /** Sends messages, and receives them back, on one connection after the other. */
    private Flux<byte[]> echo(Flux<byte[]> messages) {
        return link.connection().withConnectionMany(connection -> connection.inbound().receiveByteArrays()
                        .mergeWith(connection.outbound().sendByteArrays(messages).then(Mono.empty())))
                .retryWhen(Retry.fixedDelay(Long.MAX_VALUE, AFTER_LOSS));
    }

    @Override
    public void stop() {
        running.dispose();
    }

    @Override
    public boolean isRunning() {
        return started && !running.isDisposed();
    }
}
