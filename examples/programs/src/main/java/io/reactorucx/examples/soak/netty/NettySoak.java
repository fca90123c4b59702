package io.reactorucx.examples.soak.netty;

import io.reactorucx.examples.ServerProcess;
import io.reactorucx.examples.soak.Levels;
import io.reactorucx.examples.soak.SoakReport;
import io.reactorucx.examples.soak.Tallies;
import io.reactorucx.netty.UcxLoopStatistics;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.netty.http.client.HttpClient;

/**
 * The client of the soak of Netty's channels.
 *
 * @param tcp whether UCX uses tcp only
 * @param connections channels or requests at the same time
 * @param rate connections a second, where channels do nothing but connect
 * @param seed of the random choices
 * @param leak whether to lose a buffer, which the soak has to find
 */
public record NettySoak(boolean tcp, int connections, double rate, long seed, boolean leak) {

    /** A kind of soak. */
    public enum Kind {
        /** HTTP by Reactor Netty. */
        HTTP,
        /** Channels that connect, echo and close at a rate. */
        CONNECTS,
        /** Server processes that are killed and stopped. */
        KILLS
    }

    static final String HOST = "127.0.0.1";

    private static final Duration WARM_UP = Duration.ofSeconds(5);
    private static final Duration SETTLED_WITHIN = Duration.ofSeconds(60);
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(50);
    private static final Duration BETWEEN_LINES = Duration.ofSeconds(10);

    /**
     * Runs one kind for some time.
     *
     * @param kind what
     * @param time for how long
     * @return whether nothing was wrong, lost or left
     */
    public boolean run(Kind kind, Duration time) {
        LeakReports.watch();
        try (SoakLoops loops = new SoakLoops(tcp)) {
            if (kind == Kind.KILLS) {
                return new KillRounds(this, loops).run(time);
            }
            try (ServerProcess server = start()) {
                Ports ports = Ports.of(server);
                NettyTraffic traffic = kind == Kind.HTTP ? new HttpTraffic(loops, ports.http(), connections)
                        : new ConnectTraffic(loops, ports.echo(), rate);
                return run(traffic, loops, ports, time) & server.awaitExit() == 0;
            }
        }
    }

    ServerProcess start() {
        return ServerProcess.start("netty-soak-server", tcp ? List.of("--tcp") : List.of());
    }

    /**
     * Where a server process listens.
     *
     * @param http HTTP over UCX
     * @param echo echoes over UCX
     * @param control HTTP over the kernel's TCP
     */
    record Ports(int http, int echo, int control) {

        static Ports of(ServerProcess server) {
            String[] each = server.awaitReady().trim().split(" ");
            return new Ports(Integer.parseInt(each[0]), Integer.parseInt(each[1]), Integer.parseInt(each[2]));
        }

        /** Returns what the server answers over the kernel's TCP. */
        String ask(String path) {
            return Objects.requireNonNull(HttpClient.newConnection().host(HOST).port(control).get().uri(path)
                    .responseContent().aggregate().asString().block(SETTLED_WITHIN));
        }

        boolean isIdle() {
            return Boolean.parseBoolean(ask(NettySoakServer.IDLE));
        }
    }

    private boolean run(NettyTraffic traffic, SoakLoops loops, Ports ports, Duration time) {
        SplittableRandom random = new SplittableRandom(seed);
        // Lets classes, mappings and pools reach their final size.
        traffic.run(WARM_UP, random.split(), new Tallies());
        Levels[] before = levels(loops, ports);
        long sentBefore = loops.sum(UcxLoopStatistics::sentBytes);
        Tallies tallies = new Tallies();
        SoakReport report = new SoakReport();
        Disposable progress = Flux.interval(BETWEEN_LINES).subscribe(tick -> report.progress(tallies));
        traffic.run(time, random, tallies);
        progress.dispose();
        if (leak) {
            LeakReports.plant();
        }
        Levels[] after = levels(loops, ports);
        ports.ask(NettySoakServer.END);
        System.out.println("bytes sent over UCX by this process: "
                + (loops.sum(UcxLoopStatistics::sentBytes) - sentBefore));
        return SoakReport.print(tallies) & !tallies.byKind().isEmpty() & compare(before, after)
                & loops.sum(UcxLoopStatistics::sentBytes) > sentBefore;
    }

    static boolean compare(Levels[] before, Levels[] after) {
        boolean idle = true;
        for (Levels levels : after) {
            idle &= SoakLoops.isIdle(levels);
        }
        return idle & SoakReport.compare("this process", before[0], after[0])
                & (after.length == 1 || SoakReport.compare("the server", before[1], after[1]));
    }

    /** Returns the levels of both processes, when no channel is open any more, or at the latest after a while. */
    private static Levels[] levels(SoakLoops loops, Ports ports) {
        awaitIdle(loops, ports);
        Mono<Levels> ofServer = Mono.fromCallable(() -> Levels.parse(ports.ask(NettySoakServer.LEVELS)))
                .subscribeOn(Schedulers.boundedElastic());
        return Objects.requireNonNull(Mono.zip(loops.settled(), ofServer, (here, there) -> new Levels[] {here, there})
                .block(SETTLED_WITHIN.multipliedBy(2)));
    }

    private static void awaitIdle(SoakLoops loops, Ports ports) {
        long start = System.nanoTime();
        while (!(loops.isIdle() && ports.isIdle()) && System.nanoTime() - start < SETTLED_WITHIN.toNanos()) {
            Mono.delay(BETWEEN_LOOKS).block();
        }
    }
}
