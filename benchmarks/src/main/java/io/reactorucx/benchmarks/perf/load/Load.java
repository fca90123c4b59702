package io.reactorucx.benchmarks.perf.load;

import io.reactorucx.UcxConnection;
import io.reactorucx.benchmarks.turns.TurnRecorder;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** The client's work on one connection for a time. Thread: engine. */
public abstract class Load {

    private static final long HIGHEST_NANOS = TimeUnit.MINUTES.toNanos(10);
    private static final int SIGNIFICANT_DIGITS = 3;

    private final UcxConnection connection;
    private @Nullable Histogram nanos;
    private Sinks.Empty<Void> end = Sinks.empty();
    private long operations;
    private @Nullable TurnRecorder turns;

    public Load(UcxConnection connection) {
        this.connection = connection;
    }

    /** {@return a histogram that never grows; times above ten minutes are recorded as ten minutes} */
    public static Histogram histogram() {
        return new Histogram(HIGHEST_NANOS, SIGNIFICANT_DIGITS);
    }

    /** Records each turn of this process, which is stopped in between, until the recorder is over. */
    public final void takeTurns(@Nullable TurnRecorder recorder) {
        turns = recorder;
    }

    public final @Nullable TurnRecorder turns() {
        return turns;
    }

    /** Starts the work. */
    public abstract void start(long nowNanos, long nanos);

    /**
     * Loads the connection.
     *
     * @param time the duration
     * @param record records the times in ns; null to record none
     * @return completes when the last operation that started in that time has ended
     */
    public final Mono<Void> run(Duration time, @Nullable Histogram record) {
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
    public final void count(long durationNanos) {
        operations++;
        if (nanos != null) {
            nanos.recordValue(Math.clamp(durationNanos, 0, HIGHEST_NANOS));
        }
    }

    public final boolean records() {
        return nanos != null;
    }

    /** The number of operations of the last run. */
    public final long operations() {
        return operations;
    }

    public final void finished() {
        end.tryEmitEmpty();
    }

    public final void failed(Throwable error) {
        end.tryEmitError(error);
    }

    public final UcxConnection connection() {
        return connection;
    }
}
