package io.reactorucx.examples.soak;

import io.reactorucx.UcxBoundServer;
import io.reactorucx.UcxConnection;
import io.reactorucx.UcxResources;
import io.reactorucx.UcxServer;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.memory.MemoryRight;
import io.reactorucx.memory.UcxMemoryWindow;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** The server process of the soak: sends messages back, exports memory, and closes some connections itself. */
@Command(name = "soak-server", hidden = true, description = "The server process of the soak.")
public final class SoakServer implements Callable<Integer> {

    /** Requests memory for this connection alone; the response is {@link #WINDOW} with its descriptor. */
    static final int LEND = 10;
    static final int WINDOW = 11;
    /** Requests the {@link Levels} of this process; the response is {@link #HELD}. */
    static final int HOLD = 12;
    static final int HELD = 13;
    /** Ends this process gracefully. */
    static final int END = 14;
    /** Requests the {@link MeterSums} of this process; the response is {@link #COUNTED}. */
    static final int COUNT = 15;
    static final int COUNTED = 16;
    /** Has no receiver. */
    static final int IGNORED = 17;
    /** Starts the server's side of {@link TagTraffic} and {@link StreamTraffic} for this connection. */
    static final int ECHO = 18;

    /** Start of the line that this process prints when it listens; the port follows. */
    static final String READY = "ready ";

    private static final double CLOSED_FROM_HERE = 0.2;
    private static final int LONGEST_SECONDS = 10;

    @Option(names = "--tcp")
    private boolean tcp;

    private final Sinks.Empty<Void> end = Sinks.empty();
    private @Nullable MeterSums sums;

    @Override
    public Integer call() {
        DroppedErrors.count();
        UcxResources resources = SoakCommand.resources(tcp);
        sums = new MeterSums(resources);
        try {
            UcxBoundServer server = UcxServer.create(resources).handle(this::serve).bindNow();
            System.out.println(READY + server.port());
            end.asMono().block();
            server.disposeNow();
        } finally {
            resources.disposeNow();
        }
        return 0;
    }

    private Mono<Void> serve(UcxConnection connection) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        if (random.nextDouble() < CLOSED_FROM_HERE) {
            // The connection over which the soak requests the levels ends earlier.
            Mono.delay(Duration.ofSeconds(2 + random.nextInt(LONGEST_SECONDS))).then(connection.close()).subscribe();
        }
        return Mono.when(ActiveMessageTraffic.serve(connection), MessageTraffic.serve(connection),
                RequestTraffic.serve(connection), lend(connection), levels(connection), counts(connection),
                echo(connection),
                connection.activeMessages().receive(END).doOnNext(ask -> end.tryEmitEmpty()));
    }

    private static Mono<Void> lend(UcxConnection connection) {
        return connection.activeMessages().receive(LEND).concatMap(ask -> {
            UcpMemory memory = connection.resources().allocateMemory(AtomicTraffic.OFFSET + Long.BYTES);
            UcxMemoryWindow window = connection.exportMemory(memory, EnumSet.allOf(MemoryRight.class));
            window.onDispose().subscribe(ignored -> { }, error -> { }, memory::close);
            return connection.activeMessages().send(WINDOW, window.descriptor().toBytes());
        }).then();
    }

    private static Mono<Void> echo(UcxConnection connection) {
        return connection.activeMessages().receive(ECHO).flatMap(ask -> Mono.when(TagTraffic.serve(connection),
                StreamTraffic.serve(connection))).then();
    }

    private Mono<Void> counts(UcxConnection connection) {
        MeterSums meters = Objects.requireNonNull(sums);
        return connection.activeMessages().receive(COUNT).concatMap(ask -> connection.activeMessages().send(COUNTED,
                meters.now().toLine().getBytes(StandardCharsets.UTF_8))).then();
    }

    private static Mono<Void> levels(UcxConnection connection) {
        return connection.activeMessages().receive(HOLD).concatMap(ask -> Levels.settled(connection.resources())
                .flatMap(levels -> connection.activeMessages().send(HELD,
                levels.toLine().getBytes(StandardCharsets.UTF_8)))).then();
    }
}
