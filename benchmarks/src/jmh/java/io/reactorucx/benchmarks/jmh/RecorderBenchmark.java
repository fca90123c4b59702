package io.reactorucx.benchmarks.jmh;

import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.SingleWriterRecorder;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Measures what an entry costs in what could hold the times of requests, and a reading of the clock. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class RecorderBenchmark {

    private static final int DIGITS = 2;
    private static final long MASK = 0xFFFF;

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final SingleWriterRecorder recorder = new SingleWriterRecorder(1, TimeUnit.HOURS.toNanos(1), DIGITS);
    private final Timer plain = registry.timer("plain");
    private final Timer percentiles = Timer.builder("percentiles").publishPercentiles(0.5, 0.99).register(registry);
    private final Timer histogram = Timer.builder("histogram").publishPercentileHistogram().register(registry);
    private long nanos;

    /** Values of some tens of microseconds, which differ from call to call. */
    private long next() {
        nanos += 7919;
        return 1000 + (nanos & MASK);
    }

    @Benchmark
    public long clock() {
        return System.nanoTime();
    }

    @Benchmark
    public void singleWriterRecorder() {
        recorder.recordValue(next());
    }

    @Benchmark
    public void micrometerTimer() {
        plain.record(next(), TimeUnit.NANOSECONDS);
    }

    @Benchmark
    public void micrometerTimerWithPercentiles() {
        percentiles.record(next(), TimeUnit.NANOSECONDS);
    }

    @Benchmark
    public void micrometerTimerWithHistogram() {
        histogram.record(next(), TimeUnit.NANOSECONDS);
    }
}
