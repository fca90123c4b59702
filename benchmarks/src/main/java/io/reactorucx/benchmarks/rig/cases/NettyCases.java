package io.reactorucx.benchmarks.rig.cases;

import java.util.ArrayList;
import java.util.List;

/**
 * Programs of Netty over UCX beside the same over epoll and the kernel's TCP: the loops over UCX with their default, by
 * which they soon sleep, and with one by which they spin.
 */
public final class NettyCases {

    private static final int SMALL = 8;
    private static final int KIB_64 = 64 << 10;
    private static final int MIB = 1 << 20;
    private static final int PER_SECOND = 1000;
    private static final int CONNECTIONS = 16;
    private static final int KIB_64_WINDOW = 8;
    private static final int MIB_WINDOW = 2;
    private static final String[] DEFAULT = {};
    private static final String[] SPINNING = {"--spin", "1000000"};

    private final String name;
    private final String test;
    private final String collector;
    private final List<String> load;

    private NettyCases(String name, String test, String collector, String... load) {
        this.name = name;
        this.test = test;
        this.collector = collector;
        this.load = List.of(load);
    }

    public static List<Scenario> all() {
        List<Scenario> scenarios = new ArrayList<>();
        scenarios.add(oneByOne("echo-8", "echo"));
        scenarios.add(bandwidth("echo-64K", KIB_64, KIB_64_WINDOW));
        scenarios.add(bandwidth("echo-1M", MIB, MIB_WINDOW));
        scenarios.add(oneByOne("http-get", "http"));
        scenarios.add(oneByOne("rsocket", "rsocket"));
        scenarios.add(oneByOne("grpc", "grpc"));
        scenarios.add(new NettyCases("http-rate", "http-rate", "G1", "--mode", "latency", "--rate",
                Integer.toString(PER_SECOND), "--connections", Integer.toString(CONNECTIONS))
                .rows(Metric.P50, Metric.P99, Metric.CPU));
        return scenarios;
    }

    private static Scenario oneByOne(String name, String test) {
        return new NettyCases(name, test, "Serial", "--mode", "latency", "--size", Integer.toString(SMALL))
                .rows(Metric.P50, Metric.CPU);
    }

    private static Scenario bandwidth(String test, int size, int window) {
        return new NettyCases(test, test, "Serial", "--mode", "bandwidth", "--size", Integer.toString(size), "--window",
                Integer.toString(window)).rows(Metric.BANDWIDTH, Metric.CPU);
    }

    private Scenario rows(Metric... metrics) {
        Contender kernel = contender("epoll", "kernel", "--tcp");
        Contender sleeping = contender("UCX", "ucx", DEFAULT);
        Contender spinning = contender("UCX spinning", "ucx", SPINNING);
        List<Row> rows = new ArrayList<>();
        for (Metric metric : metrics) {
            String figure = metric == Metric.CPU ? "-cpu" : metric == Metric.P99 ? "-p99" : "";
            rows.add(new Row("netty-" + name + figure, metric, sleeping, kernel, Target.none()));
            rows.add(new Row("netty-" + name + "-spinning" + figure, metric, spinning, kernel, Target.none()));
        }
        return new Scenario(rows);
    }

    private Contender contender(String over, String loops, String... more) {
        List<String> arguments = new ArrayList<>(List.of("netty", "--test", test, "--loops", loops));
        arguments.addAll(load);
        arguments.addAll(List.of(more));
        Contender contender = Contender.peer("netty " + name + " " + over, arguments.toArray(String[]::new));
        return collector.equals(contender.collector()) ? contender : contender.with(collector);
    }
}
