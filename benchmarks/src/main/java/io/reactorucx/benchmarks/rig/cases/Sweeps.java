package io.reactorucx.benchmarks.rig.cases;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Series with one parameter changed step by step, for the charts; they have no targets. The name of a case has its
 * chart, the other contender and the step; the name of a contender its line in the chart and, after a comma, the step.
 */
public final class Sweeps {

    private static final int[] SIZES = {8, 256, 4 << 10, 64 << 10, 1 << 20};
    private static final int[] WINDOWS = {1, 4, 16, 64, 256};
    private static final int[] LOADS = {10, 30, 50, 70, 90};
    private static final int[] CONNECTIONS = {1, 10, 100, 1000};
    private static final int WINDOW = 32;
    private static final String RATE_WINDOW = "256";
    /** A rough rate of UCX's own tool; from the second round on the measured rate is used. */
    private static final long SHM_BYTES_PER_SECOND = 4_000_000_000L;
    private static final long TCP_BYTES_PER_SECOND = 1_000_000_000L;
    private static final long SHM_ROUND_TRIPS = 1_000_000;
    private static final long TCP_ROUND_TRIPS = 40_000;
    private static final long SHM_MESSAGES = 5_000_000;
    private static final long TCP_MESSAGES = 1_000_000;

    private final List<Scenario> scenarios = new ArrayList<>();

    private Sweeps() {
    }

    public static List<Scenario> all() {
        Sweeps sweeps = new Sweeps();
        for (int size : SIZES) {
            sweeps.latencyOverShm(size);
            sweeps.latencyOverTcp(size);
            sweeps.bandwidthOverShm(size);
            sweeps.bandwidthOverTcp(size);
        }
        for (int window : WINDOWS) {
            sweeps.rateOf(window);
        }
        sweeps.load();
        for (int connections : CONNECTIONS) {
            sweeps.add("connections", Metric.RATE, connections, ours("message", connections, "--test", "message",
                    "--mode", "rate", "--size", "8", "--window", RATE_WINDOW, "--connections",
                    Integer.toString(connections)));
        }
        return sweeps.scenarios;
    }

    private void add(String chart, Metric metric, int step, Contender ours, Contender... others) {
        List<Row> rows = new ArrayList<>();
        for (Contender other : others) {
            rows.add(row(chart + "-" + (other.perftest() != null ? "perftest" : other.arguments().getFirst()), metric,
                    step, ours, other));
        }
        scenarios.add(new Scenario(rows.isEmpty() ? List.of(row(chart, metric, step, ours, null)) : rows));
    }

    private static Row row(String name, Metric metric, int step, Contender ours, @Nullable Contender other) {
        return new Row("sweep-" + name + "-" + step, metric, ours, other, Target.none());
    }

    private static Contender ours(String line, Object step, String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--error-mode", "peer"));
        return Contender.ours("Reactor UCX " + line + ", " + step, all.toArray(String[]::new));
    }

    private static Contender peer(String line, Object step, String... peerAndArguments) {
        return Contender.peer(line + ", " + step, peerAndArguments);
    }

    private static Contender inC(String line, Object step, Perftest perftest) {
        return Contender.perftest("ucx_perftest " + line + ", " + step, perftest);
    }

    private void latencyOverShm(int size) {
        String text = Integer.toString(size);
        add("latency-shm", Metric.P50, size, ours("tag", "latency " + text, "--test", "tag", "--mode", "latency",
                "--size", text), inC("tag", "latency " + text, new Perftest("tag_lat", size, 1, false,
                Math.min(SHM_ROUND_TRIPS, SHM_BYTES_PER_SECOND / 2 / size))),
                Contender.ucxPeer("JUCX tag, latency " + text, "jucx", "--test", "tag", "--mode", "latency", "--size",
                text));
    }

    private void latencyOverTcp(int size) {
        String text = Integer.toString(size);
        String[] request = {"--test", "request", "--mode", "latency", "--size", text, "--tcp"};
        add("latency-tcp", Metric.P50, size, ours("request tcp", "latency " + text, request),
                inC("tag tcp", "latency " + text, new Perftest("tag_lat", size, 1, true,
                Math.min(TCP_ROUND_TRIPS, TCP_BYTES_PER_SECOND / 2 / size))),
                peer("RSocket", "latency " + text, with("rsocket", request)),
                peer("Reactor Netty", "latency " + text, with("reactor-netty", request)));
    }

    private void bandwidthOverShm(int size) {
        String text = Integer.toString(size);
        String[] stream = {"--test", "message", "--mode", "rate", "--size", text, "--window", RATE_WINDOW};
        Contender tags = ours("tag", "bandwidth " + text, "--test", "tag", "--mode", "bandwidth", "--size", text,
                "--window", "" + WINDOW);
        add("bandwidth-shm", Metric.BANDWIDTH, size, tags, inC("tag", "bandwidth " + text,
                new Perftest("tag_bw", size, WINDOW, false, Math.min(SHM_MESSAGES, SHM_BYTES_PER_SECOND / size))));
        add("bandwidth-shm", Metric.BANDWIDTH, size, ours("message", "bandwidth " + text, stream),
                peer("Aeron IPC", "bandwidth " + text, with("aeron-ipc", stream)));
    }

    private void bandwidthOverTcp(int size) {
        String text = Integer.toString(size);
        String[] stream = {"--test", "message", "--mode", "rate", "--size", text, "--window", RATE_WINDOW, "--tcp"};
        Contender tags = ours("tag tcp", "bandwidth " + text, "--test", "tag", "--mode", "bandwidth", "--size", text,
                "--window", "" + WINDOW, "--tcp");
        add("bandwidth-tcp", Metric.BANDWIDTH, size, tags, inC("tag tcp", "bandwidth " + text,
                new Perftest("tag_bw", size, WINDOW, true, Math.min(TCP_MESSAGES, TCP_BYTES_PER_SECOND / size))));
        add("bandwidth-tcp", Metric.BANDWIDTH, size, ours("message tcp", "bandwidth " + text, stream),
                peer("Reactor Netty", "bandwidth " + text, with("reactor-netty", stream)));
    }

    private void rateOf(int window) {
        String text = Integer.toString(window);
        add("window", Metric.RATE, window, ours("am", "window " + text, "--test", "am", "--mode", "rate", "--size", "8",
                "--window", text), inC("am", "window " + text, new Perftest("ucp_am_bw", Long.BYTES, window, false,
                SHM_MESSAGES / 2)));
        add("window-message", Metric.RATE, window, ours("message", "window " + text, "--test", "message", "--mode",
                "rate", "--size", "8", "--window", text));
    }

    /** Loads as shares of the rate that each contender reaches in a closed loop, timed from the scheduled start. */
    private void load() {
        String[] shm = {"--test", "request", "--mode", "latency", "--size", "8", "--window", "1"};
        String[] tcp = with(shm, "--tcp");
        List<Contender> closed = List.of(ours("request", "closed loop", shm), ours("request tcp", "closed loop", tcp),
                ours("request tcp, default strategy", "closed loop", with(tcp, "--strategy", "adaptive")),
                peer("RSocket", "closed loop", with("rsocket", tcp)), peer("Reactor Netty", "closed loop",
                with("reactor-netty", tcp)), peer("gRPC", "closed loop", with("grpc", tcp)));
        for (int number = 0; number < closed.size(); number++) {
            Contender each = closed.get(number);
            scenarios.add(Scenario.of(row("closed-" + number, Metric.P50, 100, each, null)));
            for (int load : LOADS) {
                scenarios.add(Scenario.of(row("load-" + number, Metric.P50, load, each.atLoad(load), null)));
            }
        }
    }

    private static String[] with(String peer, String... arguments) {
        return with(new String[] {peer}, arguments);
    }

    private static String[] with(String[] some, String... more) {
        List<String> all = new ArrayList<>(List.of(some));
        all.addAll(List.of(more));
        return all.toArray(String[]::new);
    }
}
