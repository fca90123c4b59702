package io.reactorucx.benchmarks.rig.cases;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** All cases, with their targets. */
public final class Cases {

    private static final int MIB = 1 << 20;
    private static final int[] LARGE = {64 << 10, MIB};
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

    private static final String LATENCY = "--mode latency --size 8";
    private static final String RATE = "--mode rate --size 8";

    private final List<Scenario> scenarios = new ArrayList<>();

    private Cases() {
    }

    public static List<Scenario> all() {
        Cases cases = new Cases();
        cases.latency("am");
        cases.latency("tag");
        for (int size : LARGE) {
            cases.bandwidth("am", size);
            cases.bandwidth("tag", size);
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
        cases.rsocket();
        return Scenario.joined(cases.scenarios);
    }

    private void add(Row... rows) {
        scenarios.add(Scenario.of(rows));
    }

    private static String over(String transport) {
        return transport.equals("tcp") ? "--tcp" : "";
    }

    private static Contender latencyOf(String test, String transport, String mode) {
        return Contender.ours("reactor-ucx " + test + " 8 B " + transport + " " + mode,
                "--test " + test + " " + LATENCY + " --error-mode " + mode, over(transport));
    }

    /** By UCX's shared memory, without rings. */
    private static Contender latencyOverUcx(String test) {
        return Contender.ours("reactor-ucx " + test + " 8 B ucx", "--test " + test + " " + LATENCY, "--ring-bytes 0");
    }

    private static Contender inC(String test, String command, String what, int size, int window, String transport,
            long perSecond) {
        return Contender.perftest("ucx_perftest " + test + " " + what + " " + transport,
                new Perftest(command, size, window, transport.equals("tcp"), perSecond));
    }

    private void latency(String test) {
        String command = (test.equals("am") ? "ucp_am" : test) + "_lat";
        Contender c = inC(test, command, "8 B", 8, 1, "shm", 5_000_000);
        Contender cTcp = inC(test, command, "8 B", 8, 1, "tcp", 200_000);
        Contender none = latencyOf(test, "shm", "none");
        Contender tcp = latencyOf(test, "tcp", "peer");
        List<Row> rows = new ArrayList<>();
        for (String mode : MODES) {
            rows.add(new Row(test + "-latency-shm-" + mode, Metric.P50, latencyOf(test, "shm", mode), c,
                    Target.atMost(test.equals("am") ? 1 : 1.5).inFastState()));
        }
        rows.add(new Row(test + "-latency-shm-jucx", Metric.P50, none, Contender.ucxPeer("jucx " + test + " 8 B shm",
                "jucx --test " + test, LATENCY), Target.atMost(0.35)));
        List<Row> tcpRows = new ArrayList<>();
        tcpRows.add(new Row(test + "-latency-tcp", Metric.P50, tcp, cTcp, Target.atMost(1.15)));
        if (test.equals("am")) {
            Contender aeron = Contender.peer("aeron ipc 8 B", "aeron-ipc --test message", LATENCY);
            Contender message = latencyOf("message", "shm", "peer");
            rows.add(new Row("am-latency-ucx", Metric.P50, latencyOverUcx(test), c, Target.atMost(1.5).inFastState()));
            rows.add(new Row("message-latency-shm", Metric.P50, message, c, Target.atMost(1).inFastState()));
            rows.add(new Row("message-latency-shm-aeron", Metric.P50, message, aeron, Target.atMost(1.7)));
            rows.add(new Row("latency-shm-aeron", Metric.P50, none, aeron, Target.atMost(1.7)));
            tcpRows.add(new Row("latency-tcp-aeron-udp", Metric.P50, tcp, Contender.peer("aeron udp 8 B",
                    "aeron-udp --test message", LATENCY, "--tcp"), Target.none()));
        }
        rows.add(allocationOf(test));
        scenarios.add(new Scenario(rows));
        scenarios.add(new Scenario(tcpRows));
    }

    private static String sizeText(int size) {
        return size == MIB ? "1M" : "64K";
    }

    private static Contender bandwidthOf(String test, int size, String transport, String mode, String... more) {
        return Contender.ours("reactor-ucx " + test + " " + sizeText(size) + " " + transport + " " + mode,
                "--test " + test + " --mode bandwidth --size " + size + " --window " + WINDOW + " --error-mode " + mode,
                String.join(" ", more), over(transport));
    }

    private static Row bandwidth(String test, int size, String transport, String mode, Contender c, double atLeast) {
        return new Row(test + "-bandwidth-" + sizeText(size) + "-" + transport + "-" + mode, Metric.BANDWIDTH,
                bandwidthOf(test, size, transport, mode), c, Target.atLeast(atLeast));
    }

    private void bandwidth(String test, int size) {
        String command = (test.equals("am") ? "ucp_am" : test) + "_bw";
        Contender c = inC(test, command, sizeText(size), size, WINDOW, "shm", 15_000_000_000L / size);
        add(bandwidth(test, size, "shm", "none", c, 0.95),
                bandwidth(test, size, "shm", "peer", c, test.equals("am") ? 1 : 0.6));
        if (test.equals("am")) {
            // Streams of messages and requests in the default error mode, beside active messages in C.
            add(bandwidth("message", size, "shm", "peer", c, 1), bandwidth("request", size, "shm", "peer", c, 1));
            bothWays(size);
        }
        // Measures both error modes on both sides: with failure detection UCX uses another rendezvous protocol over
        // tcp.
        Contender tcp = inC(test, command, sizeText(size), size, WINDOW, "tcp", 8_000_000_000L / size);
        add(bandwidth(test, size, "tcp", "none", tcp, 0.95),
                bandwidth(test, size, "tcp", "peer", tcp.withPeerErrors(), 0.95));
    }

    /**
     * Requests with responses of their size, beside a stream in each direction: as many bytes go each way, and each
     * side writes what it sends. A responder that returns the request has written it by receiving it.
     */
    private void bothWays(int size) {
        String fresh = "--fresh --buffers " + WINDOW;
        add(new Row("request-duplex-" + sizeText(size) + "-shm", Metric.BANDWIDTH,
                bandwidthOf("request", size, "shm", "peer").with(" fresh", fresh),
                bandwidthOf("duplex", size, "shm", "peer").with(" fresh", fresh),
                Target.atLeast(0.8)));
    }

    private void oneSided(String test, int size) {
        Contender c = inC(test, test.equals("put") ? "ucp_put_bw" : "ucp_get", sizeText(size), size, WINDOW, "shm",
                60_000_000_000L / size);
        double atLeast = size == MIB ? 0.9 : 0.95;
        add(bandwidth(test, size, "shm", "none", c, atLeast), bandwidth(test, size, "shm", "peer", c, atLeast));
    }

    private void served() {
        add(new Row("get-latency-tcp-served", Metric.P50,
                Contender.ours("reactor-ucx get 8 B tcp served", "--test get --served", LATENCY, "--tcp"),
                Contender.ucxPeer("ucp_get_nbx 8 B tcp", "bare --test get", LATENCY, "--tcp"), Target.atMost(1.1)));
        for (String test : new String[] {"get", "put"}) {
            add(new Row(test + "-bandwidth-1M-tcp-served", Metric.BANDWIDTH,
                    bandwidthOf(test, MIB, "tcp", "peer", "--served"), Contender.ucxPeer("ucp_" + test + "_nbx 1M tcp",
                    "bare --test " + test + " --mode bandwidth --size " + MIB + " --window " + WINDOW, "--tcp"),
                    Target.atLeast(3)));
        }
    }

    private static Contender rateOf(String test, String transport, String mode, int window, int connections) {
        int ofOne = window / connections;
        return Contender.ours("reactor-ucx " + test + " rate " + transport + " " + mode
                + (connections == 1 ? "" : " x" + connections)
                + (ofOne == SMALL_WINDOW ? " window " + SMALL_WINDOW : ""), "--test " + test, RATE,
                "--window " + ofOne + " --error-mode " + mode + " --connections " + connections, over(transport));
    }

    private void rates() {
        Contender c = inC("am", "ucp_am_bw", "rate", 8, RATE_WINDOW, "shm", 15_000_000);
        Contender aeron = Contender.peer("aeron ipc rate", "aeron-ipc --test message", RATE);
        List<Row> raw = new ArrayList<>();
        List<Row> messages = new ArrayList<>();
        for (String mode : MODES) {
            raw.add(new Row("am-rate-shm-" + mode, Metric.RATE, rateOf("am", "shm", mode, RATE_WINDOW, 1), c,
                    Target.atLeast(0.8)));
            messages.add(new Row("message-rate-shm-" + mode, Metric.RATE,
                    rateOf("message", "shm", mode, MESSAGE_WINDOW, 1), aeron, Target.atLeast(2)));
        }
        scenarios.add(new Scenario(raw));
        scenarios.add(new Scenario(messages));
        add(new Row("message-rate-tcp", Metric.RATE, rateOf("message", "tcp", "peer", MESSAGE_WINDOW, 1),
                Contender.peer("reactor-netty rate", "reactor-netty --test message", RATE, "--tcp"),
                Target.atLeast(2)));
    }

    private void requests() {
        Contender rsocket = request("rsocket");
        List<Row> rows = new ArrayList<>();
        for (String mode : MODES) {
            Contender ours = latencyOf("request", "shm", mode);
            rows.add(new Row("request-shm-" + mode + "-rsocket", Metric.P50, ours, rsocket, Target.faster(50)));
            rows.add(new Row("request-shm-" + mode + "-grpc", Metric.P50, ours, request("grpc"), Target.faster(50)));
        }
        for (String mode : MODES) {
            rows.add(new Row("request-shm-" + mode, Metric.P50, latencyOf("request", "shm", mode), null,
                    Target.figureAtMost(REQUEST_NANOS).inFastState()));
        }
        rows.add(allocationOf("request"));
        Contender tcp = latencyOf("request", "tcp", "peer");
        rows.add(new Row("request-tcp-rsocket", Metric.P50, tcp, rsocket, Target.faster(4)));
        rows.add(new Row("request-tcp-reactor-netty", Metric.P50, tcp, request("reactor-netty"), Target.faster(4)));
        scenarios.add(new Scenario(rows));
    }

    /** Requests at a low rate with the default wait strategy, whole measurements in turn, with two collectors. */
    private void fixedRates() {
        for (String collector : new String[] {"G1", "Z"}) {
            for (int rate : collector.equals("G1") ? LOW_RATES : new int[] {LOW_RATES[LOW_RATES.length - 1]}) {
                List<Row> rows = new ArrayList<>();
                for (String transport : new String[] {"shm", "tcp"}) {
                    Contender ours = atRate(latencyOf("request", transport, "peer")
                            .with(" adaptive", "--strategy adaptive"), rate, collector);
                    String name = "rate-" + rate + "-" + collector.toLowerCase(Locale.ROOT) + "-" + transport;
                    for (Metric metric : List.of(Metric.P50, Metric.P99, Metric.P999)) {
                        String figure = name + "-" + metric.name().toLowerCase(Locale.ROOT);
                        rows.add(new Row(figure + "-netty", metric, ours,
                                atRate(request("reactor-netty"), rate, collector), Target.atMost(1)));
                        rows.add(new Row(figure + "-rsocket", metric, ours,
                                atRate(request("rsocket"), rate, collector), Target.none()));
                    }
                }
                scenarios.add(new Scenario(rows));
            }
        }
    }

    private static Contender atRate(Contender closed, int rate, String collector) {
        return closed.with(" " + rate + "/s", "--rate " + rate).withCollector(collector);
    }

    private static Contender request(String peer) {
        return Contender.peer(peer + " request", peer + " --test request", LATENCY, "--tcp");
    }

    private static Row allocationOf(String test) {
        return new Row("allocation-" + test, Metric.ALLOCATION, latencyOf(test, "shm", "peer"), null,
                Target.figureAtMost((test.equals("request") ? REQUEST_BYTES : MONO_BYTES) + NO_BYTES));
    }

    private void allocation() {
        for (String layer : new String[] {"core", "engine"}) {
            for (String test : new String[] {"am", "tag"}) {
                add(new Row("allocation-" + layer + "-" + test, Metric.ALLOCATION,
                        new Contender("reactor-ucx " + layer + " " + test, Contender.Tool.LAYERS, List.of(layer, test),
                        null), null, Target.figureAtMost(NO_BYTES)));
            }
        }
    }

    private void idleAndConnections() {
        add(new Row("idle-cpu", Metric.CPU_SHARE, new Contender("reactor-ucx idle", Contender.Tool.IDLE, List.of(),
                null), null, Target.figureAtMost(0.003)));
        connections("cost-1000-connections", MESSAGE_WINDOW);
        connections("cost-1000-connections-window-64", SMALL_WINDOW);
    }

    /** The window of all connections together is the same for any number of connections. */
    private void connections(String name, int window) {
        add(new Row(name, Metric.RATE, rateOf("message", "shm", "peer", window * CONNECTIONS, CONNECTIONS),
                rateOf("message", "shm", "peer", window, 1), Target.atLeast(0.9)));
    }

    /** RSocket over UCX beside RSocket over the kernel's TCP, and beside this library's own requests. */
    private void rsocket() {
        Contender kernel = request("rsocket");
        Contender shm = rsocketOverUcx("8 B", "shm", LATENCY);
        add(new Row("rsocket-ucx-shm", Metric.P50, shm, kernel, Target.atMost(0.1)),
                new Row("rsocket-ucx-shm-requester", Metric.P50, shm, latencyOf("request", "shm", "peer"),
                        Target.atMost(2.5)),
                new Row("rsocket-ucx-tcp", Metric.P50, rsocketOverUcx("8 B", "tcp", LATENCY), kernel, Target.none()));
        String large = "--mode bandwidth --size " + MIB + " --window 8";
        Contender largeKernel = Contender.peer("rsocket 1M", "rsocket --test request", large, "--tcp");
        add(new Row("rsocket-ucx-bandwidth-1M-shm", Metric.BANDWIDTH, rsocketOverUcx("1M", "shm", large), largeKernel,
                        Target.atLeast(2)),
                new Row("rsocket-ucx-bandwidth-1M-tcp", Metric.BANDWIDTH, rsocketOverUcx("1M", "tcp", large),
                        largeKernel, Target.none()));
    }

    private static Contender rsocketOverUcx(String size, String transport, String load) {
        return Contender.peer("rsocket over UCX " + size + " " + transport, "rsocket-ucx --test request", load,
                over(transport));
    }
}
