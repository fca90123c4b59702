package io.reactorucx.examples;

import io.reactorucx.netty.UcxLoopStatistics;
import io.reactorucx.netty.UcxNettyConfig;
import io.reactorucx.netty.resources.UcxLoopResources;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import reactor.netty.resources.LoopResources;

/** The same program of Reactor Netty over the kernel's TCP and over UCX. */
@Command(name = "netty", description = "Starts a second process, and exchanges echoes of 8 bytes and HTTP GETs with it"
        + " by Reactor Netty, one after the other: first over the kernel's TCP, then the same program over UCX. Prints"
        + " the times of both, and the bytes that the loops over UCX have counted.")
final class NettyCommand implements Callable<Integer> {

    /** How long loops may take to end. */
    static final Duration END_LIMIT = Duration.ofSeconds(5);

    private static final double MAX_SECONDS = 600;
    private static final double MEDIAN = 50;
    private static final double TAIL = 99;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;
    @Mixin
    private HelpOption help = new HelpOption();
    @Option(names = "--seconds", paramLabel = "SECONDS", description = "Duration of each of the four measurements, by"
            + " default 2. May have a fraction.")
    private double seconds = 2;

    /**
     * What was measured over one kind of channel.
     *
     * @param channel the channel's type
     * @param echoes times of echoes in ns
     * @param gets times of GETs in ns
     * @param bytes what loops over UCX have counted
     */
    private record Measured(String channel, Histogram echoes, Histogram gets, String bytes) {
    }

    @Override
    public Integer call() {
        if (!(seconds > 0 && seconds <= MAX_SECONDS)) {
            throw new ParameterException(spec.commandLine(), "--seconds " + seconds + ": must be above 0 and at most "
                    + Math.round(MAX_SECONDS));
        }
        Measured kernel = measure(false);
        Measured ucx = measure(true);
        row("", kernel.channel(), ucx.channel());
        rows("echo of 8 bytes", kernel, ucx, Measured::echoes);
        rows("HTTP GET", kernel, ucx, Measured::gets);
        row("bytes sent, received over UCX", kernel.bytes(), ucx.bytes());
        System.out.println("netty: OK");
        return 0;
    }

    // snippet: netty-loops
    /** Returns a loop for servers and clients of Reactor Netty. Nothing else decides about the transport. */
    static LoopResources loops(boolean ucx) {
        return ucx ? UcxLoopResources.create("ucx", 1, UcxNettyConfig.DEFAULT)
                : LoopResources.create("kernel", 1, true);
    }
    // end

    private Measured measure(boolean ucx) {
        Duration time = Duration.ofNanos(Math.round(seconds * Duration.ofSeconds(1).toNanos()));
        LoopResources loops = loops(ucx);
        try (ServerProcess server = ServerProcess.start("netty-server", ucx ? List.of("--ucx") : List.of())) {
            String[] ports = server.awaitReady().split(" ");
            Measured measured;
            try (NettyClient client = new NettyClient(loops, Integer.parseInt(ports[0]))) {
                Histogram echoes = client.echoes(time);
                Histogram gets = client.gets(Integer.parseInt(ports[1]), time);
                measured = new Measured(client.channel(), echoes, gets,
                        loops instanceof UcxLoopResources counting ? counted(counting, echoes) : "-");
            }
            if (server.awaitExit() != 0) {
                throw new DemoFailure("the server process failed: " + server.reason());
            }
            return measured;
        } finally {
            loops.disposeLater(Duration.ZERO, END_LIMIT).block();
        }
    }

    /** Returns what the loops have sent and received. At least the echoes have to be among it. */
    private static String counted(UcxLoopResources loops, Histogram echoes) {
        List<UcxLoopStatistics> each = loops.factory().statistics();
        long sent = each.stream().mapToLong(UcxLoopStatistics::sentBytes).sum();
        long received = each.stream().mapToLong(UcxLoopStatistics::receivedBytes).sum();
        long least = echoes.getTotalCount() * NettyClient.ECHO_BYTES;
        if (Math.min(sent, received) < least) {
            throw new DemoFailure(sent + " bytes sent and " + received + " received over UCX, of at least " + least);
        }
        return Figure.bytes(sent) + ", " + Figure.bytes(received);
    }

    private static void rows(String name, Measured kernel, Measured ucx, Function<Measured, Histogram> times) {
        for (double percentile : new double[] {MEDIAN, TAIL}) {
            row(name + ", p" + Math.round(percentile), at(times.apply(kernel), percentile),
                    at(times.apply(ucx), percentile));
        }
        row(name + ", times measured", Figure.count(times.apply(kernel).getTotalCount()),
                Figure.count(times.apply(ucx).getTotalCount()));
    }

    private static String at(Histogram nanos, double percentile) {
        return Figure.nanos(nanos.getValueAtPercentile(percentile));
    }

    private static void row(String name, String kernel, String ucx) {
        System.out.println(String.format(Locale.ROOT, "%-30s %20s %20s", name, kernel, ucx));
    }
}
