package io.reactorucx.examples.netty;

import io.reactorucx.examples.DemoFailure;
import io.reactorucx.examples.HelpOption;
import io.reactorucx.examples.ServerProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The same programs of Netty over the kernel's TCP and over UCX. */
@Command(name = "netty", description = "Starts a second process, and talks to it by programs of Netty, Reactor Netty,"
        + " RSocket and gRPC: over the kernel's TCP and, by the same code, over UCX, in alternate turns after a warm-up"
        + " of both. Prints the medians of the turns, and the median, the lowest and the highest of the ratios of"
        + " UCX to the kernel in two turns in a row. CPU is the processor time of both processes. The bytes sent and"
        + " received over UCX are those that the client's loop has counted.")
public final class NettyCommand implements Callable<Integer> {

    private static final double MAX_SECONDS = 600;
    private static final int MAX_TURNS = 1000;
    private static final int MAX_RATE = 1_000_000;
    private static final int MAX_CONNECTIONS = 1000;
    /** The code at the end of a turn runs in the warm-up, too, and stays compiled. */
    private static final int WARM_UP_TURNS = 2;
    /** The part of a turn before what is measured, in which connections open and caches fill. */
    private static final int PART_TO_SETTLE = 5;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;
    @Mixin
    private HelpOption help = new HelpOption();
    @Option(names = "--case", paramLabel = "NAME", description = "Only this case: echo (8 bytes), echo-64K, echo-1M,"
            + " http, rsocket, grpc, or at a fixed rate echo-rate, http-rate. May be repeated.")
    private List<String> cases = new ArrayList<>();
    @Option(names = "--seconds", paramLabel = "SECONDS", description = "Duration of each turn, by default 0.5. May have"
            + " a fraction.")
    private double seconds = 0.5;
    @Option(names = "--turns", paramLabel = "N", description = "Turns of each case over each of the two, by default 5.")
    private int turns = 5;
    @Option(names = "--warmup-seconds", paramLabel = "SECONDS", description = "Warm-up of each case over each of the"
            + " two, by default 2.")
    private double warmupSeconds = 2;
    @Option(names = "--rate", paramLabel = "N", description = "Calls a second at a fixed rate, by default 1000. Each is"
            + " timed from when it was due.")
    private int rate = 1000;
    @Option(names = "--connections", paramLabel = "N", description = "Connections at a fixed rate, by default 16.")
    private int connections = 16;
    @Mixin
    private UcxOptions ucx = new UcxOptions();

    /** For picocli. */
    public NettyCommand() {
    }

    @Override
    public Integer call() {
        check();
        List<Workload> all = Workload.all(rate, connections);
        List<Workload> chosen = cases.isEmpty() ? all : cases.stream().map(each -> Workload.named(all, each)).toList();
        try (ServerProcess server = ServerProcess.startWithInput("netty-server", ucx.arguments())) {
            server.awaitReady();
            chosen.forEach(each -> compare(server, each).print(System.out));
            server.endInput();
            if (server.awaitExit() != 0) {
                throw new DemoFailure("the server process failed: " + server.reason());
            }
        }
        System.out.println("netty: OK");
        return 0;
    }

    /** Refuses arguments that cannot work, before anything is started. */
    private void check() {
        inRange("--seconds", seconds, Math.ulp(0), MAX_SECONDS);
        inRange("--warmup-seconds", warmupSeconds, Math.ulp(0), MAX_SECONDS);
        inRange("--turns", turns, 1, MAX_TURNS);
        inRange("--rate", rate, 1, MAX_RATE);
        inRange("--connections", connections, 1, MAX_CONNECTIONS);
        try {
            ucx.config();
            cases.forEach(each -> Workload.named(Workload.all(rate, connections), each));
        } catch (IllegalArgumentException | ArithmeticException | DemoFailure e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }

    private void inRange(String option, double value, double lowest, double highest) {
        if (!(value >= lowest && value <= highest)) {
            throw new ParameterException(spec.commandLine(), option + " " + value + ": must be "
                    + (lowest < 1 ? "above 0" : "at least " + Math.round(lowest)) + " and at most "
                    + Math.round(highest));
        }
    }

    private Comparison compare(ServerProcess server, Workload workload) {
        for (int i = 0; i < WARM_UP_TURNS; i++) {
            turn(server, workload, false, workload.warmUp(), duration(warmupSeconds / WARM_UP_TURNS));
            turn(server, workload, true, workload.warmUp(), duration(warmupSeconds / WARM_UP_TURNS));
        }
        List<Turn> overKernel = new ArrayList<>();
        List<Turn> overUcx = new ArrayList<>();
        for (int i = 0; i < turns; i++) {
            overKernel.add(turn(server, workload, false, workload.load(), duration(seconds)));
            overUcx.add(turn(server, workload, true, workload.load(), duration(seconds)));
        }
        return new Comparison(workload, overKernel, overUcx);
    }

    private static Duration duration(double seconds) {
        return Duration.ofNanos(Math.max(1, Math.round(seconds * TimeUnit.SECONDS.toNanos(1))));
    }

    /** Measures with loops and connections of its own, so that none of the other transport is there meanwhile. */
    private Turn turn(ServerProcess server, Workload workload, boolean overUcx, Load load, Duration time) {
        int port = Integer.parseInt(server.ask((overUcx ? NettyServer.UCX : NettyServer.KERNEL) + " "
                + workload.name()));
        Turn turn;
        try (Loops loops = Loops.create(overUcx, ucx.config())) {
            List<Caller> callers = new ArrayList<>();
            try {
                for (int i = 0; i < workload.load().connections(); i++) {
                    callers.add(workload.protocol().connect(loops.resources(), port));
                }
                Sample settled = workload.load().run(callers, time.dividedBy(PART_TO_SETTLE));
                long cpu = cpuNanos(server);
                Sample sample = load.run(callers, time);
                turn = new Turn(loops.channel(), sample, cpuNanos(server) - cpu, loops.sentBytes(),
                        loops.receivedBytes());
                check(turn, overUcx, workload.protocol().bytes() * (settled.calls() + sample.calls()));
            } finally {
                callers.forEach(Caller::close);
            }
        }
        server.ask("");
        return turn;
    }

    /** The bytes of the calls have to be among those that went over UCX, or none of them. */
    private static void check(Turn turn, boolean overUcx, long least) {
        long counted = Math.min(turn.sentBytes(), turn.receivedBytes());
        if (overUcx ? counted < least : turn.sentBytes() + turn.receivedBytes() > 0) {
            throw new DemoFailure(turn.sentBytes() + " bytes sent and " + turn.receivedBytes() + " received over UCX"
                    + (overUcx ? ", of at least " + least : " by the loop of the kernel's TCP"));
        }
    }

    private static long cpuNanos(ServerProcess server) {
        return cpuNanos(ProcessHandle.current()) + ProcessHandle.of(server.pid()).map(NettyCommand::cpuNanos)
                .orElse(0L);
    }

    private static long cpuNanos(ProcessHandle process) {
        return process.info().totalCpuDuration().map(Duration::toNanos).orElse(0L);
    }
}
