package io.reactorucx.benchmarks.rig.cases;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** All cases, with their targets. */
public final class Cases {

    private static final int KIB_64 = 64 << 10;
    private static final int MIB = 1 << 20;
    private static final int WINDOW = 32;
    private static final int RATE_WINDOW = 256;
    /** The default message window of a connection; the others have far larger buffers. */
    private static final int MESSAGE_WINDOW = 1024;
    private static final int CONNECTIONS = 1000;
    /** A window so small that a batch holds few messages and each connection always waits for credit. */
    private static final int SMALL_WINDOW = 64;
    /** Zero, with a tolerance for single allocations of a run and of the JVM on the same thread. */
    private static final double NO_BYTES = 0.5;
    private static final double MONO_BYTES = 64;
    private static final double REQUEST_BYTES = 96;
    /** The longest request over shared memory in the fast state of the host, in nanoseconds. */
    private static final double REQUEST_NANOS = 900;
    private static final int[] LOW_RATES = {1000, 5000};
    private static final String[] MODES = {"none", "peer"};

    private final List<Scenario> scenarios = new ArrayList<>();

    private Cases() {
    }

    public static List<Scenario> all() {
        Cases cases = new Cases();
        cases.latency("am");
        cases.latency("tag");
        for (int size : new int[] {KIB_64, MIB}) {
            for (String test : new String[] {"am", "tag"}) {
                cases.bandwidth(test, size);
            }
            cases.oneSided("put", size);
            cases.oneSided("get", size);
        }
        cases.served();
        cases.rates();
        cases.requests();
        cases.fixedRates();
        cases.allocation();
        cases.idleAndConnections();
        cases.scenarios.addAll(NettyCases.all());
        cases.scenarios.addAll(RSocketCases.all(request("rsocket"), latencyOf("request", "shm", "peer")));
        return Scenario.joined(cases.scenarios);
    }

    private static Contender latencyOf(String test, String transport, String mode) {
        List<String> arguments = new ArrayList<>(List.of("--test", test, "--mode", "latency", "--size", "8",
                "--error-mode", mode));
        if (transport.equals("tcp")) {
            arguments.add("--tcp");
        }
        return Contender.ours("reactor-ucx " + test + " 8 B " + transport + " " + mode,
                arguments.toArray(String[]::new));
    }

    private void latency(String test) {
        Contender c = Contender.perftest("ucx_perftest " + test + " 8 B shm",
                new Perftest(inC(test, "lat"), 8, 1, false, 5_000_000));
        Contender jucx = Contender.ucxPeer("jucx " + test + " 8 B shm", "jucx", "--test", test, "--mode", "latency",
                "--size", "8");
        List<Row> shm = new ArrayList<>();
        for (String mode : MODES) {
            shm.add(new Row(test + "-latency-shm-" + mode, Metric.P50, latencyOf(test, "shm", mode), c,
                    Target.atMost(1.5).inFastState()));
        }
        shm.add(new Row(test + "-latency-shm-jucx", Metric.P50, latencyOf(test, "shm", "none"), jucx,
                Target.atMost(0.35)));
        if (test.equals("am")) {
            shm.add(new Row("latency-shm-aeron", Metric.P50, latencyOf(test, "shm", "none"),
                    Contender.peer("aeron ipc 8 B", "aeron-ipc", "--test", "message", "--mode", "latency", "--size",
                    "8"), Target.atMost(2)));
        }
        shm.add(allocationOf(test));
        scenarios.add(new Scenario(shm));
        Contender cTcp = Contender.perftest("ucx_perftest " + test + " 8 B tcp",
                new Perftest(inC(test, "lat"), 8, 1, true, 200_000));
        List<Row> tcp = new ArrayList<>();
        tcp.add(new Row(test + "-latency-tcp", Metric.P50, latencyOf(test, "tcp", "peer"), cTcp, Target.atMost(1.15)));
        if (test.equals("am")) {
            tcp.add(new Row("latency-tcp-aeron-udp", Metric.P50, latencyOf(test, "tcp", "peer"),
                    Contender.peer("aeron udp 8 B", "aeron-udp", "--test", "message", "--mode", "latency", "--size",
                    "8", "--tcp"), Target.none()));
        }
        scenarios.add(new Scenario(tcp));
    }

    private static String inC(String test, String kind) {
        return (test.equals("am") ? "ucp_am" : test) + "_" + kind;
    }

    private static String sizeText(int size) {
        return size == MIB ? "1M" : "64K";
    }

    private static Contender bandwidthOf(String test, int size, String transport, String mode, String... more) {
        List<String> arguments = new ArrayList<>(List.of("--test", test, "--mode", "bandwidth", "--size",
                Integer.toString(size), "--window", Integer.toString(WINDOW), "--error-mode", mode));
        arguments.addAll(List.of(more));
        if (transport.equals("tcp")) {
            arguments.add("--tcp");
        }
        return Contender.ours(String.format(Locale.ROOT, "reactor-ucx %s %s %s %s", test, sizeText(size), transport,
                mode), arguments.toArray(String[]::new));
    }

    private void bandwidth(String test, int size) {
        String name = test + "-bandwidth-" + sizeText(size);
        Contender c = Contender.perftest("ucx_perftest " + test + " " + sizeText(size) + " shm",
                new Perftest(inC(test, "bw"), size, WINDOW, false, 15_000_000_000L / size));
        scenarios.add(Scenario.of(new Row(name + "-shm-none", Metric.BANDWIDTH, bandwidthOf(test, size, "shm", "none"),
                c, Target.atLeast(0.95)), new Row(name + "-shm-peer", Metric.BANDWIDTH,
                bandwidthOf(test, size, "shm", "peer"), c,
                Target.atLeast(test.equals("am") ? 1 : 0.6))));
        if (test.equals("am")) {
            largeStreams(size, c);
        }
        // Measures both error modes on both sides: with failure detection UCX uses another rendezvous protocol over
        // tcp.
        Perftest tcp = new Perftest(inC(test, "bw"), size, WINDOW, true, 8_000_000_000L / size);
        String nameInC = "ucx_perftest " + test + " " + sizeText(size) + " tcp";
        scenarios.add(Scenario.of(
                new Row(name + "-tcp-none", Metric.BANDWIDTH, bandwidthOf(test, size, "tcp", "none"),
                        Contender.perftest(nameInC, tcp), Target.atLeast(0.95)),
                new Row(name + "-tcp-peer", Metric.BANDWIDTH, bandwidthOf(test, size, "tcp", "peer"),
                        Contender.perftest(nameInC + " -e", tcp.withPeerErrors()), Target.atLeast(0.95))));
    }

    /** Streams of messages and requests in the default error mode, beside active messages in C. */
    private void largeStreams(int size, Contender c) {
        String[] peer = {"--size", Integer.toString(size), "--window", Integer.toString(WINDOW), "--error-mode",
            "peer"};
        List<Row> rows = new ArrayList<>();
        for (String test : new String[] {"message", "request"}) {
            List<String> arguments = new ArrayList<>(List.of("--test", test, "--mode", "bandwidth"));
            arguments.addAll(List.of(peer));
            rows.add(new Row(test + "-bandwidth-" + sizeText(size) + "-shm-peer", Metric.BANDWIDTH,
                    Contender.ours("reactor-ucx " + test + " " + sizeText(size) + " shm peer",
                    arguments.toArray(String[]::new)), c, Target.atLeast(1)));
        }
        scenarios.add(new Scenario(rows));
    }

    private void oneSided(String test, int size) {
        String name = test + "-bandwidth-" + sizeText(size);
        Contender c = Contender.perftest("ucx_perftest " + test + " " + sizeText(size) + " shm",
                new Perftest(test.equals("put") ? "ucp_put_bw" : "ucp_get", size, WINDOW, false,
                60_000_000_000L / size));
        List<Row> rows = new ArrayList<>();
        for (String mode : MODES) {
            rows.add(new Row(name + "-shm-" + mode, Metric.BANDWIDTH, bandwidthOf(test, size, "shm", mode), c,
                    Target.atLeast(size == KIB_64 ? 0.95 : 0.9)));
        }
        scenarios.add(new Scenario(rows));
    }

    private void served() {
        scenarios.add(Scenario.of(new Row("get-latency-tcp-served", Metric.P50,
                Contender.ours("reactor-ucx get 8 B tcp served", "--test", "get", "--served", "--mode", "latency",
                "--size", "8", "--tcp"), Contender.ucxPeer("ucp_get_nbx 8 B tcp", "bare", "--test", "get", "--mode",
                "latency", "--size", "8", "--tcp"), Target.atMost(1.1))));
        for (String test : new String[] {"get", "put"}) {
            scenarios.add(Scenario.of(new Row(test + "-bandwidth-1M-tcp-served", Metric.BANDWIDTH,
                    bandwidthOf(test, MIB, "tcp", "peer", "--served"), Contender.ucxPeer("ucp_" + test + "_nbx 1M tcp",
                    "bare", "--test", test, "--mode", "bandwidth", "--size", Integer.toString(MIB), "--window",
                    Integer.toString(WINDOW), "--tcp"), Target.atLeast(3))));
        }
    }

    private static Contender rateOf(String test, String transport, String mode, int window, int connections) {
        List<String> arguments = new ArrayList<>(List.of("--test", test, "--mode", "rate", "--size", "8", "--window",
                Integer.toString(window / connections), "--error-mode", mode, "--connections",
                Integer.toString(connections)));
        if (transport.equals("tcp")) {
            arguments.add("--tcp");
        }
        return Contender.ours("reactor-ucx " + test + " rate " + transport + " " + mode
                + (connections == 1 ? "" : " x" + connections) + (window / connections == SMALL_WINDOW
                ? " window " + SMALL_WINDOW : ""), arguments.toArray(String[]::new));
    }

    private void rates() {
        Contender c = Contender.perftest("ucx_perftest am rate shm", new Perftest("ucp_am_bw", 8, RATE_WINDOW, false,
                15_000_000));
        Contender aeron = Contender.peer("aeron ipc rate", "aeron-ipc", "--test", "message", "--mode", "rate", "--size",
                "8");
        List<Row> raw = new ArrayList<>();
        List<Row> messages = new ArrayList<>();
        for (String mode : MODES) {
            raw.add(new Row("am-rate-shm-" + mode, Metric.RATE, rateOf("am", "shm", mode, RATE_WINDOW, 1), c,
                    Target.atLeast(0.8)));
            messages.add(new Row("message-rate-shm-" + mode, Metric.RATE,
                    rateOf("message", "shm", mode, MESSAGE_WINDOW, 1), aeron, Target.atLeast(1.2)));
        }
        scenarios.add(new Scenario(raw));
        scenarios.add(new Scenario(messages));
        scenarios.add(Scenario.of(new Row("message-rate-tcp", Metric.RATE,
                rateOf("message", "tcp", "peer", MESSAGE_WINDOW, 1), Contender.peer("reactor-netty rate",
                "reactor-netty", "--test", "message", "--mode", "rate", "--size", "8", "--tcp"), Target.atLeast(2))));
    }

    private void requests() {
        Contender rsocket = request("rsocket");
        Contender netty = request("reactor-netty");
        Contender grpc = request("grpc");
        List<Row> rows = new ArrayList<>();
        for (String mode : MODES) {
            rows.add(new Row("request-shm-" + mode + "-rsocket", Metric.P50, latencyOf("request", "shm", mode), rsocket,
                    Target.faster(50)));
            rows.add(new Row("request-shm-" + mode + "-grpc", Metric.P50, latencyOf("request", "shm", mode), grpc,
                    Target.faster(50)));
        }
        for (String mode : MODES) {
            rows.add(new Row("request-shm-" + mode, Metric.P50, latencyOf("request", "shm", mode), null,
                    Target.figureAtMost(REQUEST_NANOS).inFastState()));
        }
        rows.add(allocationOf("request"));
        rows.add(new Row("request-tcp-rsocket", Metric.P50, latencyOf("request", "tcp", "peer"), rsocket,
                Target.faster(4)));
        rows.add(new Row("request-tcp-reactor-netty", Metric.P50, latencyOf("request", "tcp", "peer"), netty,
                Target.faster(4)));
        scenarios.add(new Scenario(rows));
    }

    /** Requests at a low rate with the default wait strategy, whole measurements in turn, with two collectors. */
    private void fixedRates() {
        for (String collector : new String[] {"G1", "Z"}) {
            for (int rate : collector.equals("G1") ? LOW_RATES : new int[] {LOW_RATES[LOW_RATES.length - 1]}) {
                Contender netty = atRate(request("reactor-netty"), rate, collector);
                Contender rsocket = atRate(request("rsocket"), rate, collector);
                List<Row> rows = new ArrayList<>();
                for (String transport : new String[] {"shm", "tcp"}) {
                    Contender own = latencyOf("request", transport, "peer");
                    List<String> arguments = new ArrayList<>(own.arguments());
                    arguments.addAll(List.of("--strategy", "adaptive"));
                    Contender ours = atRate(new Contender(own.name() + " adaptive", own.tool(), arguments, null), rate,
                            collector);
                    String name = "rate-" + rate + "-" + collector.toLowerCase(Locale.ROOT) + "-" + transport;
                    for (Metric metric : List.of(Metric.P50, Metric.P99, Metric.P999)) {
                        String figure = metric.name().toLowerCase(Locale.ROOT);
                        rows.add(new Row(name + "-" + figure + "-netty", metric, ours, netty, Target.atMost(1)));
                        rows.add(new Row(name + "-" + figure + "-rsocket", metric, ours, rsocket, Target.none()));
                    }
                }
                scenarios.add(new Scenario(rows));
            }
        }
    }

    private static Contender atRate(Contender closed, int rate, String collector) {
        List<String> arguments = new ArrayList<>(closed.arguments());
        arguments.addAll(List.of("--rate", Integer.toString(rate)));
        return new Contender(closed.name() + " " + rate + "/s", closed.tool(), List.copyOf(arguments), null)
                .with(collector);
    }

    private static Contender request(String peer) {
        return Contender.peer(peer + " request", peer, "--test", "request", "--mode", "latency", "--size", "8",
                "--tcp");
    }

    private static Row allocationOf(String test) {
        return new Row("allocation-" + test, Metric.ALLOCATION, latencyOf(test, "shm", "peer"), null,
                Target.figureAtMost((test.equals("request") ? REQUEST_BYTES : MONO_BYTES) + NO_BYTES));
    }

    private void allocation() {
        for (String layer : new String[] {"core", "engine"}) {
            for (String test : new String[] {"am", "tag"}) {
                scenarios.add(Scenario.of(new Row("allocation-" + layer + "-" + test, Metric.ALLOCATION,
                        new Contender("reactor-ucx " + layer + " " + test, Contender.Tool.LAYERS, List.of(layer, test),
                        null), null, Target.figureAtMost(NO_BYTES))));
            }
        }
    }

    private void idleAndConnections() {
        scenarios.add(Scenario.of(new Row("idle-cpu", Metric.CPU_SHARE,
                new Contender("reactor-ucx idle", Contender.Tool.IDLE, List.of(), null), null,
                Target.figureAtMost(0.005))));
        scenarios.add(connections("cost-1000-connections", MESSAGE_WINDOW));
        scenarios.add(connections("cost-1000-connections-window-64", SMALL_WINDOW));
    }

    /** The window of all connections together is the same for any number of connections. */
    private static Scenario connections(String name, int window) {
        return Scenario.of(new Row(name, Metric.RATE, rateOf("message", "shm", "peer", window * CONNECTIONS,
                CONNECTIONS), rateOf("message", "shm", "peer", window, 1), Target.atLeast(0.85)));
    }
}
