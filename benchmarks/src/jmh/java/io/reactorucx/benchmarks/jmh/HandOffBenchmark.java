package io.reactorucx.benchmarks.jmh;

import java.util.concurrent.TimeUnit;
import org.jctools.queues.varhandle.MpscVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Group;
import org.openjdk.jmh.annotations.GroupThreads;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Control;

/** Measures the command queue: both ends on one thread, and from one thread to another and back. */
@State(Scope.Group)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class HandOffBenchmark {

    private static final int CAPACITY = 8192;
    private static final Object COMMAND = new Object();

    private final MpscVarHandleArrayQueue<Object> there = new MpscVarHandleArrayQueue<>(CAPACITY);
    private final MpscVarHandleArrayQueue<Object> back = new MpscVarHandleArrayQueue<>(CAPACITY);
    private final MpscVarHandleArrayQueue<Object> alone = new MpscVarHandleArrayQueue<>(CAPACITY);

    @Benchmark
    @Group("sameThread")
    @GroupThreads(1)
    public @Nullable Object offerAndPoll() {
        alone.offer(COMMAND);
        return alone.poll();
    }

    @Benchmark
    @Group("roundTrip")
    @GroupThreads(1)
    public void ask(Control control) {
        there.offer(COMMAND);
        while (!control.stopMeasurement && back.poll() == null) {
            Thread.onSpinWait();
        }
    }

    @Benchmark
    @Group("roundTrip")
    @GroupThreads(1)
    public void answer(Control control) {
        while (!control.stopMeasurement && there.poll() == null) {
            Thread.onSpinWait();
        }
        back.offer(COMMAND);
    }
}
