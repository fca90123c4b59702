package io.reactorucx.benchmarks.rig;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** One thing changed step by step, to draw charts from; nothing here has a target. */
final class Sweeps {

    private static final int[] SIZES = {8, 64, 512, 4 << 10, 32 << 10, 256 << 10, 1 << 20};
    private static final int[] WINDOWS = {1, 4, 16, 64, 256};
    private static final int[] LOADS = {1_000, 5_000, 10_000, 20_000};
    private static final int[] CONNECTIONS = {1, 10, 100, 1000};
    private static final int WINDOW = 32;
    private static final int RATE_WINDOW = 256;
    /** How fast UCX's own tool is, roughly, for its count of messages. */
    private static final long SHM_BYTES_PER_SECOND = 6_000_000_000L;
    private static final long SHM_ROUND_TRIPS = 1_500_000;
    private static final long SHM_MESSAGES = 5_000_000;

    private final List<Scenario> scenarios = new ArrayList<>();

    private Sweeps() {
    }

    static List<Scenario> all() {
        Sweeps sweeps = new Sweeps();
        for (int size : SIZES) {
            sweeps.latencyOf(size);
            sweeps.bandwidthOf(size);
        }
        for (int window : WINDOWS) {
            sweeps.rateOf(window);
        }
        for (int load : LOADS) {
            sweeps.latencyAt(load);
        }
        for (int connections : CONNECTIONS) {
            sweeps.costOf(connections);
        }
        return sweeps.scenarios;
    }

    private void add(String name, Metric metric, Contender ours, Contender... others) {
        if (others.length == 0) {
            scenarios.add(Scenario.of(new Row(name, metric, ours, null, Target.none())));
        } else {
            scenarios.add(new Scenario(Arrays.stream(others).map(other -> new Row(name + (others.length == 1 ? ""
                    : "-" + other.arguments().getFirst()), metric, ours, other, Target.none())).toList()));
        }
    }

    private static Contender ours(String name, String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--error-mode", "peer"));
        return Contender.ours("reactor-ucx " + name, all.toArray(String[]::new));
    }

    private void latencyOf(int size) {
        String text = Integer.toString(size);
        long roundTrips = Math.min(SHM_ROUND_TRIPS, SHM_BYTES_PER_SECOND / 2 / size);
        add("sweep-latency-size-" + size, Metric.P50, ours("am latency " + size, "--test", "am", "--mode", "latency", "--size", text),
                Contender.perftest("ucx_perftest am latency " + size, new Perftest("ucp_am_lat", size, 1, false, roundTrips)));
    }

    private void bandwidthOf(int size) {
        long messages = Math.min(SHM_MESSAGES, SHM_BYTES_PER_SECOND / size);
        add("sweep-bandwidth-size-" + size, Metric.BANDWIDTH, ours("am bandwidth " + size, "--test", "am", "--mode", "bandwidth", "--size",
                Integer.toString(size), "--window", Integer.toString(WINDOW)),
                Contender.perftest("ucx_perftest am bandwidth " + size, new Perftest("ucp_am_bw", size, WINDOW, false, messages)));
    }

    private void rateOf(int window) {
        add("sweep-rate-window-" + window, Metric.RATE, ours("message rate window " + window, "--test", "message", "--mode", "rate", "--size",
                "8", "--window", Integer.toString(window)));
    }

    /** At a fixed rate, timed from when each ought to have been sent. */
    private void latencyAt(int load) {
        String[] arguments = {"--test", "request", "--mode", "latency", "--size", "8", "--tcp", "--rate", Integer.toString(load)};
        String[] oneAtATime = Stream.concat(Arrays.stream(arguments), Stream.of("--window", "1")).toArray(String[]::new);
        add("sweep-latency-load-" + load, Metric.P50, ours("request at " + load + "/s", oneAtATime), peer("rsocket", load, arguments),
                peer("reactor-netty", load, arguments), peer("grpc", load, arguments));
    }

    private static Contender peer(String peer, int load, String... arguments) {
        List<String> all = new ArrayList<>(List.of(peer));
        all.addAll(List.of(arguments));
        return Contender.peer(peer + " request at " + load + "/s", all.toArray(String[]::new));
    }

    private void costOf(int connections) {
        add("sweep-cost-connections-" + connections, Metric.RATE, ours("message rate x" + connections, "--test", "message", "--mode", "rate",
                "--size", "8", "--window", Integer.toString(RATE_WINDOW), "--connections", Integer.toString(connections)));
    }
}
