package io.reactorucx.benchmarks.perf;

import io.reactorucx.UcxConnection;
import io.reactorucx.benchmarks.turns.TurnRecorder;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** The client's work on one connection for a time. Thread: engine. */
abstract class Load {

    private static final long HIGHEST_NANOS = TimeUnit.MINUTES.toNanos(10);
    private static final int SIGNIFICANT_DIGITS = 3;

    private final UcxConnection connection;
    private @Nullable Histogram nanos;
    private Sinks.Empty<Void> end = Sinks.empty();
    private long operations;
    private @Nullable TurnRecorder turns;

    Load(UcxConnection connection) {
        this.connection = connection;
    }

    /** {@return a histogram that never grows; times above ten minutes are recorded as ten minutes} */
    static Histogram histogram() {
        return new Histogram(HIGHEST_NANOS, SIGNIFICANT_DIGITS);
    }

    /** Records each turn of this process, which is stopped in between, until the recorder is over. */
    final void takeTurns(@Nullable TurnRecorder recorder) {
        turns = recorder;
    }

    final @Nullable TurnRecorder turns() {
        return turns;
    }

    /** Starts the work. */
    abstract void start(long nowNanos, long nanos);

    /**
     * Loads the connection.
     *
     * @param time the duration
     * @param record records the times in ns; null to record none
     * @return completes when the last operation that started in that time has ended
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

    /** Called when an operation has ended. */
    final void count(long durationNanos) {
        operations++;
        if (nanos != null) {
            nanos.recordValue(Math.clamp(durationNanos, 0, HIGHEST_NANOS));
        }
    }

    final boolean records() {
        return nanos != null;
    }

    /** The number of operations of the last run. */
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
