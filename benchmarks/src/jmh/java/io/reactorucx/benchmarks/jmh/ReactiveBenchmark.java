package io.reactorucx.benchmarks.jmh;

import io.reactorucx.UcxBoundServer;
import io.reactorucx.UcxClient;
import io.reactorucx.UcxConnection;
import io.reactorucx.UcxResources;
import io.reactorucx.UcxServer;
import io.reactorucx.core.AmProtocol;
import io.reactorucx.engine.WaitStrategy;
import io.reactorucx.message.ActiveMessage;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Measures what Reactor adds: a send through a Mono that is subscribed to repeatedly on the engine's thread (subtract
 * core's {@code am}), and a message of a stream with credits. Both ends of the connection are on the same engine.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class ReactiveBenchmark {

    private static final int MANY = 10_000;
    /** Messages per invocation, so many that the wake-up after the last one does not matter. */
    private static final int MESSAGES = 1_000_000;
    private static final int ID = 1;

    private final UcxResources resources = UcxResources.builder().waitStrategy(WaitStrategy.BUSY_SPIN).build();
    private final UcxBoundServer server = UcxServer.create(resources).bindAddress("127.0.0.1", 0).handle(connected -> {
        connected.activeMessages().receive(ID).subscribe(ActiveMessage::discard);
        return connected.inbound().receiveByteArrays().then();
    }).bindNow();
    private final UcxConnection connection = UcxClient.create(resources).remoteAddress("127.0.0.1", server.port())
            .connectNow();
    private final Mono<Void> send = connection.activeMessages()
            .send(ID, MemorySegment.NULL, Arena.global().allocate(Long.BYTES), AmProtocol.EAGER);
    private final byte[] message = new byte[Long.BYTES];

    @Setup(Level.Trial)
    public void check() {
        send.block();
    }

    @TearDown(Level.Trial)
    public void close() {
        connection.disposeNow();
        server.disposeNow();
        resources.disposeNow();
    }

    @Benchmark
    @OperationsPerInvocation(MANY)
    public void monoOfSend() {
        send.repeat(MANY - 1).blockLast();
    }

    @Benchmark
    @OperationsPerInvocation(MESSAGES)
    public void streamWithCredits() {
        connection.outbound().sendByteArrays(Flux.range(0, MESSAGES).map(i -> message)).then().block();
    }
}
