package io.reactorucx.benchmarks.rig.cases;

import java.util.ArrayList;
import java.util.List;

/**
 * Programs of Netty over UCX beside the same over epoll and the kernel's TCP: the loops over UCX with their default, by
 * which they soon sleep, and with one by which they spin.
 */
final class NettyCases {

    private NettyCases() {
    }

    static List<Scenario> all() {
        List<Scenario> scenarios = new ArrayList<>();
        scenarios.add(rows("echo-8", "echo", "--mode latency --size 8", Target.atMost(0.5), Metric.P50));
        scenarios.add(rows("echo-64K", "echo-64K", "--mode bandwidth --size 65536 --window 8", Target.none(),
                Metric.BANDWIDTH));
        scenarios.add(rows("echo-1M", "echo-1M", "--mode bandwidth --size 1048576 --window 2", Target.atLeast(2),
                Metric.BANDWIDTH));
        scenarios.add(rows("http-get", "http", "--mode latency --size 8", Target.atMost(0.8), Metric.P50));
        scenarios.add(rows("rsocket", "rsocket", "--mode latency --size 8", Target.atMost(1), Metric.P50));
        scenarios.add(rows("grpc", "grpc", "--mode latency --size 8", Target.atMost(1), Metric.P50));
        scenarios.add(rows("http-rate", "http-rate", "--mode latency --rate 1000 --connections 16",
                Target.none(), Metric.P50, Metric.P99));
        return scenarios;
    }

    /** Rows of each metric and of the processor time; the target is of the first metric with the default policy. */
    private static Scenario rows(String name, String test, String load, Target target, Metric... metrics) {
        Contender kernel = contender(name, "epoll", test, "kernel", load, "--tcp");
        Contender sleeping = contender(name, "UCX", test, "ucx", load, "");
        Contender spinning = contender(name, "UCX spinning", test, "ucx", load, "--spin 1000000");
        List<Row> rows = new ArrayList<>();
        List<Metric> all = new ArrayList<>(List.of(metrics));
        all.add(Metric.CPU);
        for (Metric metric : all) {
            String figure = metric == Metric.CPU ? "-cpu" : metric == Metric.P99 ? "-p99" : "";
            rows.add(new Row("netty-" + name + figure, metric, sleeping, kernel,
                    metric == metrics[0] ? target : Target.none()));
            rows.add(new Row("netty-" + name + "-spinning" + figure, metric, spinning, kernel, Target.none()));
        }
        return new Scenario(rows);
    }

    private static Contender contender(String name, String over, String test, String loops, String load, String more) {
        Contender contender = Contender.peer("netty " + name + " " + over, "netty --test " + test + " --loops " + loops,
                load, more);
        return contender.isAtFixedRate() ? contender.withCollector("G1") : contender;
    }
}
