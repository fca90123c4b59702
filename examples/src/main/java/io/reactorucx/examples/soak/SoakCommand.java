package io.reactorucx.examples.soak;

import io.reactorucx.UcxClient;
import io.reactorucx.UcxResources;
import io.reactorucx.UcxResourcesBuilder;
import io.reactorucx.examples.ServerProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Two processes exchange mixed traffic for some minutes; all of it is checked and counted. */
@Command(name = "soak", mixinStandardHelpOptions = true, description = {
    "Starts a second process and exchanges mixed traffic with it: plain and flow-controlled messages,",
    "requests, remote memory, payloads of 0 B to 16 MiB, at random cancelled, timed out, disconnected by either side.",
    "Each message is checked by number and checksum. Fails when one is lost, comes twice, or when",
    "memory or slots do not return to where they were."})
public final class SoakCommand implements Callable<Integer> {

    private static final double PERCENT = 100;

    @Option(names = "--minutes", paramLabel = "N", description = "How long, 10 by default; a fraction is allowed.")
    private double minutes = 10;
    @Option(names = "--tcp", description = "Use TCP only; otherwise UCX chooses, shared memory where it can.")
    private boolean tcp;
    @Option(names = "--connections", paramLabel = "N", description = "Connections at once, 4 by default.")
    private int connections = 4;
    @Option(names = "--cut-off", paramLabel = "PERCENT", description = "Connections that are closed by force amid their traffic, 20 by default.")
    private int cutOff = 20;
    @Option(names = "--slow-consumer", description = "Instead: one subscriber that takes one answer a second of a million.")
    private boolean slowConsumer;
    @Option(names = "--seed", paramLabel = "N", description = "Repeats the same choices; another number each time by default.")
    private @Nullable Long seed;

    @Override
    public Integer call() {
        long chosen = seed != null ? seed : ThreadLocalRandom.current().nextInt(Integer.MAX_VALUE);
        Duration time = Duration.ofMillis((long) (minutes * Duration.ofMinutes(1).toMillis()));
        System.out.println("soak: " + (tcp ? "tcp" : "UCX's choice of transports") + ", " + connections + " connections, " + time.toSeconds()
                + " s, seed " + chosen);
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
                Soak soak = new Soak(client, resources, connections, cutOff / PERCENT, chosen);
                sound = slowConsumer ? soak.slowConsumer(time) : soak.run(time);
                sound &= server.awaitExit() == 0;
            } finally {
                resources.disposeNow();
            }
        }
        System.out.println(sound ? "soak: OK" : "soak: FAILED");
        return sound ? 0 : 1;
    }

    static UcxResources resources(boolean tcp) {
        UcxResourcesBuilder builder = UcxResources.builder().maxBufferBytes(512L << 20);
        if (tcp) {
            builder.transports("tcp");
        }
        return builder.build();
    }
}
