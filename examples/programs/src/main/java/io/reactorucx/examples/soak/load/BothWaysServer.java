package io.reactorucx.examples.soak.load;

import io.reactorucx.UcxBoundServer;
import io.reactorucx.UcxConnection;
import io.reactorucx.UcxResources;
import io.reactorucx.UcxServer;
import io.reactorucx.examples.ServerProcess;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

/** The server process of {@link BothWays}: answers requests, and sends as many over the same connections. */
@Command(name = "both-ways-server", hidden = true, description = "The server process of soak --both-ways.")
public final class BothWaysServer implements Callable<Integer> {

    @Option(names = "--tcp", arity = "1")
    private boolean tcp;
    @Option(names = "--connections")
    private int connections;
    @Option(names = "--max-in-flight")
    private int maxInFlight;
    @Option(names = "--max-stall")
    private int maxStallSeconds;
    @Option(names = "--seconds")
    private long seconds;

    private final Sinks.Empty<Void> begun = Sinks.empty();

    @Override
    public Integer call() throws InterruptedException {
        BothWays options = new BothWays(tcp, connections, maxInFlight, maxStallSeconds);
        UcxResources resources = options.resources();
        RequestLoops loops = options.loops();
        CountDownLatch answered = new CountDownLatch(connections);
        CountDownLatch gone = new CountDownLatch(connections);
        boolean sound;
        try {
            UcxBoundServer server = UcxServer.create(resources).handle(connection -> serve(connection, loops, answered,
                    gone)).bindNow();
            ServerProcess.ready(String.valueOf(server.port()));
            begun.asMono().block();
            ProgressWatch watch = new ProgressWatch(loops::progress);
            boolean finished;
            try (watch) {
                finished = BothWays.answered(Mono.<Void>fromRunnable(() -> await(answered))
                        .subscribeOn(Schedulers.boundedElastic()), Duration.ofSeconds(seconds));
            }
            sound = loops.print("server", watch, seconds, maxStallSeconds, !finished);
            gone.await();
            server.disposeNow();
        } finally {
            resources.disposeNow();
        }
        return sound ? 0 : 1;
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Mono<Void> serve(UcxConnection connection, RequestLoops loops, CountDownLatch answered,
            CountDownLatch gone) {
        begun.tryEmitEmpty();
        connection.onDispose().onErrorComplete().subscribe(ignored -> { }, error -> { }, gone::countDown);
        long end = System.nanoTime() + Duration.ofSeconds(seconds).toNanos();
        return loops.respond(connection).and(loops.request(connection, end).doFinally(how -> answered.countDown())
                .then(connection.activeMessages().send(BothWays.DONE, new byte[0]).retryWhen(RequestLoops.PATIENTLY)));
    }
}
