package io.reactorucx.benchmarks.perf;

import io.reactorucx.UcxConnection;
import java.time.Duration;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** What the client does on one connection for some time. All of it happens on the connection's engine. */
abstract class Load {

    private final UcxConnection connection;
    private @Nullable Histogram nanos;
    private Sinks.Empty<Void> end = Sinks.empty();
    private long operations;

    Load(UcxConnection connection) {
        this.connection = connection;
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
            nanos.recordValue(durationNanos);
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
