package io.reactorucx.examples.soak;

import io.reactorucx.UcxClient;
import io.reactorucx.UcxResources;
import io.reactorucx.UcxResourcesBuilder;
import io.reactorucx.core.UcpWorkerConfig;
import io.reactorucx.examples.HelpOption;
import io.reactorucx.examples.ServerProcess;
import io.reactorucx.examples.soak.load.BothWays;
import io.reactorucx.examples.soak.netty.NettySoak;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Exchanges mixed traffic between two processes for some minutes; every message is checked and counted. */
@Command(name = "soak", description = "Starts a second process and exchanges mixed traffic with it: plain and"
        + " flow-controlled messages, requests and remote memory, with payloads of 0 B to 16 MiB. Operations are"
        + " cancelled and timed out at random, connections closed by either side. Each message is checked by number"
        + " and checksum. Fails when a message is lost, duplicated or corrupt, when an operation fails for another"
        + " reason than the end of its connection, or when memory or request slots leak. At the end, traffic that is"
        + " neither cancelled nor cut off, with tagged messages, byte streams and atomic operations, too, is compared"
        + " with the meters of both processes to the byte; of the traffic before, they have to lie between what was"
        + " delivered and what was begun.")
public final class SoakCommand implements Callable<Integer> {

    private static final int PERCENT = 100;
    private static final int MAX_CONNECTIONS = 1000;
    private static final double MAX_MINUTES = 100_000;
    private static final double MAX_RATE = 100_000;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;
    @Mixin
    private HelpOption help = new HelpOption();
    @Option(names = "--minutes", paramLabel = "MINUTES", description = "Duration, by default 10. May have a fraction.")
    private double minutes = 10;
    @Option(names = "--tcp", description = "Use TCP only. Otherwise UCX chooses, shared memory where it can.")
    private boolean tcp;
    @Option(names = "--connections", paramLabel = "N", description = "Connections at the same time, by default 4.")
    private int connections = 4;
    @Option(names = "--cut-off", paramLabel = "N",
            description = "Percentage of the connections that are closed by force amid their traffic, by default 20.")
    private int cutOff = 20;
    @Option(names = "--slow-consumer", description = "Instead of the traffic: a subscriber that takes one response a"
            + " second from a stream of a million.")
    private boolean slowConsumer;
    @Option(names = "--both-ways", description = "Instead of the traffic: both processes send each other requests of"
            + " 17 KiB, all the time more than their engines may have in flight. Fails when one is not answered, when a"
            + " connection is lost, or when nothing ends for longer than '--max-stall'; pauses of the machine do not"
            + " count.")
    private boolean bothWays;
    @Option(names = "--max-in-flight", paramLabel = "N", description = "The operations that the engines of"
            + " '--both-ways' may have in flight, by default 8192.")
    private int maxInFlight = UcpWorkerConfig.DEFAULT_MAX_IN_FLIGHT;
    @Option(names = "--max-stall", paramLabel = "SECONDS", description = "How long nothing may end with '--both-ways',"
            + " by default 1.")
    private int maxStall = 1;
    @Option(names = "--netty", paramLabel = "WHAT", description = "Instead of the traffic: channels of Netty over UCX,"
            + " with each byte checked and each buffer watched for leaks. 'http' exchanges requests of 0 B to 1 MiB by"
            + " Reactor Netty, some cancelled; 'connects' connects, echoes 8 B and closes; 'kills' kills and stops"
            + " server processes amid traffic, whose channels have to end in time.")
    private NettySoak.@Nullable Kind netty;
    @Option(names = "--rate", paramLabel = "RATE", description = "Connections a second of '--netty connects', by"
            + " default 1000.")
    private double rate = 1000;
    @Option(names = "--seed", paramLabel = "N", description = "Makes the same random choices as the run that printed"
            + " this number.")
    private @Nullable Long seed;
    @Option(names = "--leak", hidden = true, description = "Leaks 16 MiB, which the soak has to find.")
    private @Nullable PlantedLeak leak;
    @Option(names = "--uncounted", hidden = true, description = "Does an operation of each kind that the soak does"
            + " not count, which its comparison with the meters has to find.")
    private boolean uncounted;

    @Override
    public Integer call() {
        check();
        long chosen = seed != null ? seed : ThreadLocalRandom.current().nextInt(Integer.MAX_VALUE);
        Duration time = Duration.ofMillis((long) (minutes * Duration.ofMinutes(1).toMillis()));
        System.out.println("soak: " + (tcp ? "tcp" : "UCX's choice of transports") + ", " + connections
                + " connections, " + time.toSeconds() + " s, seed " + chosen);
        if (bothWays) {
            return end(new BothWays(tcp, connections, maxInFlight, maxStall).run(time));
        }
        return netty == null ? mixed(time, chosen) : end(new NettySoak(tcp, connections, rate, chosen, leak != null)
                .run(netty, time));
    }

    private int mixed(Duration time, long chosen) {
        List<String> arguments = new ArrayList<>();
        if (tcp) {
            arguments.add("--tcp");
        }
        boolean sound;
        try (ServerProcess server = ServerProcess.start("soak-server", arguments)) {
            UcxResources resources = resources(tcp);
            try {
                int port = Integer.parseInt(server.awaitReady().trim());
                UcxClient client = UcxClient.create(resources).remoteAddress("127.0.0.1", port);
                Soak soak = new Soak(client, resources, connections, (double) cutOff / PERCENT, chosen, leak,
                        uncounted);
                sound = slowConsumer ? soak.slowConsumer(time) : soak.run(time);
                sound &= server.awaitExit() == 0;
            } finally {
                resources.disposeNow();
            }
        }
        return end(sound);
    }

    private int end(boolean sound) {
        if (!sound) {
            spec.commandLine().getErr().println("soak: FAILED: the figures above say why");
            return 1;
        }
        System.out.println("soak: OK");
        return 0;
    }

    /** Refuses arguments that cannot work, before anything is started. */
    private void check() {
        if (!(minutes > 0 && minutes <= MAX_MINUTES)) {
            throw refused("--minutes " + minutes + ": must be more than 0 and at most " + MAX_MINUTES);
        }
        if (connections < 1 || connections > MAX_CONNECTIONS) {
            throw refused("--connections " + connections + ": must be in 1.." + MAX_CONNECTIONS);
        }
        if (!(rate > 0 && rate <= MAX_RATE)) {
            throw refused("--rate " + rate + ": must be more than 0 and at most " + MAX_RATE);
        }
        if (Stream.of(netty != null, slowConsumer, bothWays).filter(each -> each).count() > 1) {
            throw refused("--netty, --slow-consumer and --both-ways: at most one of them");
        }
        if (maxInFlight < 1 || maxInFlight > (1 << 20)) {
            throw refused("--max-in-flight " + maxInFlight + ": must be in " + 1 + ".."
                    + (1 << 20));
        }
        if (maxStall < 1) {
            throw refused("--max-stall " + maxStall + ": must be at least 1");
        }
        if (cutOff < 0 || cutOff > PERCENT) {
            throw refused("--cut-off " + cutOff + ": must be in 0.." + PERCENT);
        }
    }

    private ParameterException refused(String reason) {
        return new ParameterException(spec.commandLine(), reason);
    }

    static UcxResources resources(boolean tcp) {
        UcxResourcesBuilder builder = UcxResources.builder().streams(true).maxBufferBytes(512L << 20);
        if (tcp) {
            builder.transports("tcp");
        }
        return builder.build();
    }
}
