package io.reactorucx.examples;

import io.reactorucx.UcxConnection;
import io.reactorucx.message.ActiveMessage;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/** Measures round trips of 8 bytes, each a Mono, one after the other. */
final class RoundTrips implements AutoCloseable {

    private static final int SIGNIFICANT_DIGITS = 3;

    private final UcxConnection connection;
    private final MemorySegment request = Arena.ofAuto().allocate(Long.BYTES);
    private final Disposable replies;
    private @Nullable MonoSink<Long> waiting;
    private long sentNanos;

    RoundTrips(UcxConnection connection) {
        this.connection = connection;
        replies = connection.activeMessages().receive(DemoProtocol.PONG).subscribe(this::replied, this::failed);
    }

    private void replied(ActiveMessage pong) {
        MonoSink<Long> sink = waiting;
        if (sink != null) {
            waiting = null;
            sink.success(System.nanoTime() - sentNanos);
        }
    }

    private void failed(Throwable error) {
        MonoSink<Long> sink = waiting;
        if (sink != null) {
            waiting = null;
            sink.error(error);
        }
    }

    /** Makes one round trip; emits its time in ns. */
    private Mono<Long> once() {
        return Mono.create(sink -> {
            waiting = sink;
            sentNanos = System.nanoTime();
            connection.activeMessages().send(DemoProtocol.PING, request).subscribe(ignored -> { }, sink::error);
        });
    }

    /** Makes round trips for the two durations; those of the warm-up are not recorded. Emits the times in ns. */
    Mono<Histogram> measure(Duration warmUp, Duration measured) {
        Histogram nanos = new Histogram(SIGNIFICANT_DIGITS);
        return repeated(warmUp).thenMany(repeated(measured)).doOnNext(nanos::recordValue)
                .subscribeOn(connection.scheduler()).then(Mono.just(nanos));
    }

    /** Ends between two round trips: otherwise the next measurement would receive the last reply of this one. */
    private Flux<Long> repeated(Duration time) {
        return Flux.defer(() -> {
            long start = System.nanoTime();
            return once().repeat(() -> System.nanoTime() - start < time.toNanos());
        });
    }

    @Override
    public void close() {
        replies.dispose();
    }
}
