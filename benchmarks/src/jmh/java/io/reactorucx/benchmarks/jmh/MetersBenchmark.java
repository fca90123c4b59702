package io.reactorucx.benchmarks.jmh;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.reactorucx.UcxBoundServer;
import io.reactorucx.UcxClient;
import io.reactorucx.UcxConnection;
import io.reactorucx.UcxResources;
import io.reactorucx.UcxServer;
import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.engine.WaitStrategy;
import io.reactorucx.message.UcxResponder;
import io.reactorucx.metrics.UcxMetrics;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import reactor.core.publisher.Mono;

/**
 * Measures a request of 8 B with its response, one after the other, without meters, with meters, and with requests
 * timed. Both ends of the connection are on the same engine, which times each request twice: as client and as server.
 * That engine spins, and does nothing else: {@code cpuNanos} is the time of a processor that its thread takes for a
 * request, which what else the machine does changes less than the score. JMH prints it for each iteration, and at the
 * end the sum of all.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class MetersBenchmark {

    private static final int MANY = 10_000;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    /** Which meters are bound. */
    public enum Meters {
        /** No meters. */
        NONE(-1),
        /** Meters without times. */
        COUNTS(0),
        /** Every 128th request is timed, as by default. */
        SAMPLED(UcxMetrics.TIMED_EVERY),
        /** Every request is timed. */
        ALL(1);

        private final int every;

        Meters(int every) {
            this.every = every;
        }
    }

    /** Which meters are bound. */
    @Param
    public Meters meters;

    private final UcxResources resources = UcxResources.builder().waitStrategy(WaitStrategy.BUSY_SPIN).build();
    private final UcxBoundServer server = UcxServer.create(resources).bindAddress("127.0.0.1", 0)
            .respond(new UcxResponder() {
                @Override
                public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
                    return Mono.just(request);
                }
            }).bindNow();
    private final UcxConnection connection = UcxClient.create(resources).remoteAddress("127.0.0.1", server.port())
            .connectNow();
    private final long engineThread = Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> thread.getName().equals(resources.engines().getFirst().name())).findFirst().orElseThrow()
            .threadId();
    private final Mono<byte[]> request = connection.requester().requestResponse(new byte[Long.BYTES]);

    /** Binds the meters. */
    @Setup(Level.Trial)
    public void bind() {
        if (meters != Meters.NONE) {
            new UcxMetrics(resources).timingRequests(meters.every).bindTo(new SimpleMeterRegistry());
        }
        request.block();
    }

    /** Closes everything. */
    @TearDown(Level.Trial)
    public void close() {
        connection.disposeNow();
        server.disposeNow();
        resources.disposeNow();
    }

    /** The processor's time of the engine's thread. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.EVENTS)
    public static class EngineTime {

        private long nanos;
        private long requests;

        /** Begins anew. */
        @Setup(Level.Iteration)
        public void reset() {
            nanos = 0;
            requests = 0;
        }

        /** {@return the time for a request} */
        public double cpuNanos() {
            return (double) nanos / requests;
        }
    }

    @Benchmark
    @OperationsPerInvocation(MANY)
    public void request(EngineTime time) {
        long begun = THREADS.getThreadCpuTime(engineThread);
        request.repeat(MANY - 1).blockLast();
        time.nanos += THREADS.getThreadCpuTime(engineThread) - begun;
        time.requests += MANY;
    }
}
