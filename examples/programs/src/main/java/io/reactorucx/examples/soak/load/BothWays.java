package io.reactorucx.examples.soak.load;

import io.reactorucx.UcxClient;
import io.reactorucx.UcxConnection;
import io.reactorucx.UcxResources;
import io.reactorucx.UcxResourcesBuilder;
import io.reactorucx.engine.EngineConfig;
import io.reactorucx.examples.ServerProcess;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Two processes send each other requests over many connections, all the time more than their engines may have in
 * flight. Each request has to be answered.
 *
 * @param tcp whether UCX uses tcp only
 * @param connections how many
 * @param maxInFlight the limit of both engines
 * @param maxStallSeconds the longest time in which nothing may end
 */
public record BothWays(boolean tcp, int connections, int maxInFlight, int maxStallSeconds) {

    /** Sent by the server over each connection when its own requests have been answered. */
    static final int DONE = 20;

    private static final long POOL_BYTES = 1L << 30;
    /** As many large messages may wait for the peer to fetch them on a connection. */
    private static final int MAX_PER_CONNECTION = 256;
    private static final Duration ANSWERED_WITHIN = Duration.ofSeconds(60);
    private static final Duration CLOSED_WITHIN = Duration.ofSeconds(30);

    UcxResources resources() {
        UcxResourcesBuilder builder = UcxResources.builder().maxBufferBytes(POOL_BYTES).maxBufferWaiters(1 << 20)
                .engineConfig(EngineConfig.of("reactor-ucx").withLimits(EngineConfig.DEFAULT_COMMAND_QUEUE_CAPACITY,
                        maxInFlight));
        if (tcp) {
            builder.transports("tcp");
        }
        return builder.build();
    }

    /** Returns the requests of one process: twice as many as its engine may have in flight. */
    RequestLoops loops() {
        return new RequestLoops(Math.clamp(Math.ceilDiv(2L * maxInFlight, connections), 1, MAX_PER_CONNECTION));
    }

    /**
     * Runs the client, and the server in another process.
     *
     * @param time for how long
     * @return whether every request was answered, no connection was lost, and nothing stood still
     */
    public boolean run(Duration time) {
        UcxResources resources = resources();
        try (ServerProcess server = ServerProcess.start("both-ways-server", List.of("--tcp=" + tcp, "--connections",
                String.valueOf(connections), "--max-in-flight", String.valueOf(maxInFlight), "--max-stall",
                String.valueOf(maxStallSeconds), "--seconds", String.valueOf(time.toSeconds())))) {
            UcxClient client = UcxClient.create(resources).remoteAddress("127.0.0.1",
                    Integer.parseInt(server.awaitReady().trim()));
            boolean sound = run(client, time);
            return sound & server.awaitExit() == 0;
        } finally {
            resources.disposeNow();
        }
    }

    private boolean run(UcxClient client, Duration time) {
        RequestLoops loops = loops();
        List<UcxConnection> open = Objects.requireNonNull(Flux.range(0, connections).flatMap(each -> client.connect()
                .doOnNext(connection -> loops.respond(connection).subscribe()), 1).collectList()
                .block(ANSWERED_WITHIN));
        boolean unfinished;
        ProgressWatch watch = new ProgressWatch(loops::progress);
        try (watch) {
            long end = System.nanoTime() + time.toNanos();
            unfinished = !answered(Flux.fromIterable(open).flatMap(connection -> loops.request(connection, end)
                    .and(connection.activeMessages().receive(DONE).next()), connections).then(), time);
        }
        boolean sound = loops.print("this process", watch, time.toSeconds(), maxStallSeconds, unfinished);
        Mono.when(open.stream().map(UcxConnection::close).toList()).onErrorComplete().block(CLOSED_WITHIN);
        return sound;
    }

    /** Waits for requests that were sent until a time. Returns whether all of them have ended. */
    static boolean answered(Mono<Void> requests, Duration time) {
        return Boolean.TRUE.equals(requests.thenReturn(true).timeout(time.plus(ANSWERED_WITHIN),
                Mono.just(false)).onErrorReturn(false).block());
    }
}
