package io.reactorucx.spring.boot.discovery;

import io.rsocket.DuplexConnection;
import io.rsocket.transport.ClientTransport;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/**
 * Connects over UCX, and over TCP when that fails. After a failure of UCX alone, TCP is used at once for some time,
 * so that each new connection does not wait for UCX in vain.
 */
final class FallbackTransport implements ClientTransport {

    private static final Logger LOG = LoggerFactory.getLogger(FallbackTransport.class);
    private static final long NEVER = Long.MIN_VALUE;

    private final String name;
    private final ClientTransport ucx;
    private final ClientTransport tcp;
    private final Duration connectTimeout;
    private final long retryNanos;
    private final LongSupplier nanoTime;
    private final AtomicLong failedNanos = new AtomicLong(NEVER);

    FallbackTransport(String name, ClientTransport ucx, ClientTransport tcp, Duration connectTimeout,
            Duration retryAfter, LongSupplier nanoTime) {
        this.name = name;
        this.ucx = ucx;
        this.tcp = tcp;
        this.connectTimeout = connectTimeout;
        this.retryNanos = retryAfter.toNanos();
        this.nanoTime = nanoTime;
    }

    @Override
    public int maxFrameLength() {
        return Math.min(ucx.maxFrameLength(), tcp.maxFrameLength());
    }

    @Override
    public Mono<DuplexConnection> connect() {
        return Mono.defer(() -> {
            long failed = failedNanos.get();
            if (failed != NEVER && nanoTime.getAsLong() - failed < retryNanos) {
                return tcp.connect();
            }
            return Mono.defer(ucx::connect).timeout(connectTimeout).onErrorResume(this::connectByTcp);
        });
    }

    private Mono<DuplexConnection> connectByTcp(Throwable failure) {
        return tcp.connect().doOnNext(connected -> {
            failedNanos.set(nanoTime.getAsLong());
            LOG.warn("{} is called over TCP, because UCX does not reach it: {}", name,
                    LogText.of(failure.toString()));
        }).doOnError(error -> error.addSuppressed(failure));
    }
}
