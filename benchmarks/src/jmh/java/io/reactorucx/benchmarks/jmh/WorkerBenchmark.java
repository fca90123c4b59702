package io.reactorucx.benchmarks.jmh;

import io.reactorucx.benchmarks.layers.SelfLoop;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures a message of a worker to itself. For core these are two calls of UCX with their slots, upcalls and
 * deliveries; the engine adds its command and its iterations. An idle iteration is what an engine spins on.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class WorkerBenchmark {

    @Param({"core", "engine"})
    private String layer;
    private SelfLoop am;
    private SelfLoop tag;

    @Setup(Level.Trial)
    public void open() {
        am = SelfLoop.of(layer, "am");
        tag = SelfLoop.of(layer, "tag");
    }

    @TearDown(Level.Trial)
    public void close() {
        am.close();
        tag.close();
    }

    @Benchmark
    public void am() {
        am.message();
    }

    @Benchmark
    public void tag() {
        tag.message();
    }

    @Benchmark
    public void idleTurn() {
        am.turn();
    }
}
