package io.reactorucx.benchmarks.perf;

import io.reactorucx.UcxConnection;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** What the client does on one connection for some time. All of it happens on the connection's engine. */
abstract class Load {

    private static final long HIGHEST_NANOS = TimeUnit.MINUTES.toNanos(10);
    private static final int SIGNIFICANT_DIGITS = 3;

    private final UcxConnection connection;
    private @Nullable Histogram nanos;
    private Sinks.Empty<Void> end = Sinks.empty();
    private long operations;

    Load(UcxConnection connection) {
        this.connection = connection;
    }

    /** {@return what times are recorded in, without growing; those above ten minutes count as that} */
    static Histogram histogram() {
        return new Histogram(HIGHEST_NANOS, SIGNIFICANT_DIGITS);
    }

    /** Begins. */
    abstract void start(long nowNanos, long nanos);

    /**
     * Loads the connection.
     *
     * @param time how long
     * @param record takes the times in ns, null when they are not looked for
     * @return completes when the last operation that was begun in that time is over
     */
    final Mono<Void> run(Duration time, @Nullable Histogram record) {
        return Mono.defer(() -> {
            Sinks.Empty<Void> awaited = Sinks.empty();
            connection.scheduler().schedule(() -> {
                end = awaited;
                nanos = record;
                operations = 0;
                try {
                    start(System.nanoTime(), time.toNanos());
                } catch (RuntimeException e) {
                    failed(e);
                }
            });
            return awaited.asMono();
        });
    }

    /** An operation is over. */
    final void count(long durationNanos) {
        operations++;
        if (nanos != null) {
            nanos.recordValue(Math.clamp(durationNanos, 0, HIGHEST_NANOS));
        }
    }

    final boolean records() {
        return nanos != null;
    }

    /** Operations of the last run. */
    final long operations() {
        return operations;
    }

    final void finished() {
        end.tryEmitEmpty();
    }

    final void failed(Throwable error) {
        end.tryEmitError(error);
    }

    final UcxConnection connection() {
        return connection;
    }
}
