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
            sweeps.latency(size);
            sweeps.bandwidth(size, "", "shm", Math.min(SHM_MESSAGES, SHM_BYTES_PER_SECOND / size), "Aeron IPC",
                    "aeron-ipc");
            sweeps.bandwidth(size, " tcp", "tcp", Math.min(TCP_MESSAGES, TCP_BYTES_PER_SECOND / size), "Reactor Netty",
                    "reactor-netty");
        }
        for (int window : WINDOWS) {
            sweeps.rateOf(window);
        }
        sweeps.load();
        for (int connections : CONNECTIONS) {
            sweeps.add("connections", Metric.RATE, connections, ours("message, " + connections,
                    "--test message --mode rate --size 8 --window 256 --connections " + connections));
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

    private static Contender ours(String name, String arguments) {
        return Contender.ours("Reactor UCX " + name, arguments, "--error-mode peer");
    }

    private static Contender inC(String name, String test, int size, int window, long perSecond) {
        return Contender.perftest("ucx_perftest " + name,
                new Perftest(test, size, window, name.contains("tcp"), perSecond));
    }

    private void latency(int size) {
        String step = ", latency " + size;
        String tag = "--test tag --mode latency --size " + size;
        add("latency-shm", Metric.P50, size, ours("tag" + step, tag), inC("tag" + step, "tag_lat", size, 1,
                Math.min(SHM_ROUND_TRIPS, SHM_BYTES_PER_SECOND / 2 / size)),
                Contender.ucxPeer("JUCX tag" + step, "jucx", tag));
        String request = "--test request --mode latency --size " + size + " --tcp";
        add("latency-tcp", Metric.P50, size, ours("request tcp" + step, request), inC("tag tcp" + step, "tag_lat",
                size, 1, Math.min(TCP_ROUND_TRIPS, TCP_BYTES_PER_SECOND / 2 / size)),
                Contender.peer("RSocket" + step, "rsocket", request),
                Contender.peer("Reactor Netty" + step, "reactor-netty", request));
    }

    private void bandwidth(int size, String over, String transport, long perSecond, String peer, String program) {
        String step = over + ", bandwidth " + size;
        String tcp = over.isEmpty() ? "" : " --tcp";
        String stream = "--test message --mode rate --size " + size + " --window 256" + tcp;
        String chart = "bandwidth-" + transport;
        add(chart, Metric.BANDWIDTH, size, ours("tag" + step, "--test tag --mode bandwidth --size " + size
                + " --window " + WINDOW + tcp), inC("tag" + step, "tag_bw", size, WINDOW, perSecond));
        add(chart, Metric.BANDWIDTH, size, ours("message" + step, stream),
                Contender.peer(peer + ", bandwidth " + size, program, stream));
    }

    private void rateOf(int window) {
        String step = ", window " + window;
        String load = " --mode rate --size 8 --window " + window;
        add("window", Metric.RATE, window, ours("am" + step, "--test am" + load),
                inC("am" + step, "ucp_am_bw", Long.BYTES, window, SHM_MESSAGES / 2));
        add("window-message", Metric.RATE, window, ours("message" + step, "--test message" + load));
    }

    /** Loads as shares of the rate that each contender reaches in a closed loop, timed from the scheduled start. */
    private void load() {
        String step = ", closed loop";
        String shm = "--test request --mode latency --size 8 --window 1";
        String tcp = shm + " --tcp";
        List<Contender> closed = List.of(ours("request" + step, shm), ours("request tcp" + step, tcp),
                ours("request tcp, default strategy" + step, tcp + " --strategy adaptive"),
                Contender.peer("RSocket" + step, "rsocket", tcp),
                Contender.peer("Reactor Netty" + step, "reactor-netty", tcp),
                Contender.peer("gRPC" + step, "grpc", tcp));
        for (int number = 0; number < closed.size(); number++) {
            Contender each = closed.get(number);
            scenarios.add(Scenario.of(row("closed-" + number, Metric.P50, 100, each, null)));
            for (int load : LOADS) {
                scenarios.add(Scenario.of(row("load-" + number, Metric.P50, load, each.atLoad(load), null)));
            }
        }
    }
}
