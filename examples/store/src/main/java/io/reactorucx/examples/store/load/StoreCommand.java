package io.reactorucx.examples.store.load;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The store under load. */
@Command(name = "store", description = "Starts a registry (ZooKeeper) and the nodes of a replicated key-value cache as"
        + " processes, each node an application of Spring Boot, and reads and writes keys: over RSocket, whose large"
        + " values are read from the nodes' memory, and over HTTP, all over UCX. Judges each answer, and prints each"
        + " second the requests, their times, what failed and what was wrong.")
final class StoreCommand implements Callable<Integer> {

    private static final double MAX_SECONDS = 86_400;
    private static final int MOST_NODES = 16;
    private static final double MEDIAN = 50;
    private static final double TAIL = 99;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;
    @Option(names = {"-h", "--help"}, usageHelp = true, description = "Print this text.")
    private boolean help;
    @Option(names = "--seconds", paramLabel = "SECONDS", description = "Duration of the load, by default 10.")
    private double seconds = 10;
    @Option(names = "--nodes", paramLabel = "N", description = "Number of nodes, 2 to 16, by default 3.")
    private int nodes = 3;
    @Option(names = "--kill", description = "Kill a node amid the load and start it again: after a third of the"
            + " duration, or after half of the interval if that is shorter. Fails if a key is not served again within 5"
            + " s. The load goes on until the node has its data again, for at most 240 s.")
    private boolean kill;
    @Option(names = "--interval", paramLabel = "SECONDS", description = "With --kill, kill the next node each time"
            + " that this has passed, by default 20. A kill waits for the node before to have its data again; those"
            + " after it keep to their times.")
    private double interval = 20;

    /**
     * The outcome of a kill.
     *
     * @param node that was killed
     * @param recovery until each key was served
     * @param complete until the new process had its data
     */
    private record Kill(int node, Duration recovery, Duration complete) {
    }

    @Override
    public Integer call() {
        inRange(seconds, "--seconds");
        inRange(interval, "--interval");
        if (nodes < 2 || nodes > MOST_NODES) {
            throw new ParameterException(spec.commandLine(), "--nodes " + nodes + ": must be in 2.." + MOST_NODES);
        }
        out().println("starting a registry and " + nodes + " nodes");
        try (Cluster cluster = Cluster.start(nodes, this::say);
                LoadContext context = new LoadContext(nodes, cluster.registryPort())) {
            Recovery recovery = new Recovery(context.store(), nodes);
            say("waiting until each node has its data and each key is served");
            recovery.awaitComplete(cluster.ports());
            recovery.await();
            try (LoadMaker load = new LoadMaker(context)) {
                List<Kill> kills = run(cluster, recovery, load.counts());
                if (!load.stop()) {
                    throw new LoadFailure(load.counts().sums().underWay() + " requests had no end");
                }
                load.counts().interval();
                summarize(load.counts(), kills);
                out().println("store: OK, " + context.httpBytes() + " bytes of HTTP were sent over UCX");
            }
        }
        return 0;
    }

    private void inRange(double value, String name) {
        if (!(value > 0 && value <= MAX_SECONDS)) {
            throw new ParameterException(spec.commandLine(), name + " " + value + ": must be above 0 and at most "
                    + Math.round(MAX_SECONDS));
        }
    }

    private void say(String line) {
        out().println(line);
        out().flush();
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }

    private List<Kill> run(Cluster cluster, Recovery recovery, LoadCounts counts) {
        List<Kill> kills = new ArrayList<>();
        long start = System.nanoTime();
        long end = start + nanos(seconds);
        KillTimes times = new KillTimes(start, nanos(seconds), nanos(interval));
        Future<Kill> current = null;
        try (ExecutorService killer = Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().factory())) {
            out().println("seconds  requests/s    p50 ms    p99 ms  retryable  failed  wrong  missing  late  nodes");
            LoadCounts.Sums before = counts.sums();
            for (long line = start; line < end || current != null; ) {
                line += nanos(1);
                sleepUntil(line);
                before = print(line - start, counts, before, cluster.alive());
                if (current != null && current.isDone()) {
                    kills.add(report(current));
                    current = null;
                }
                if (kill && current == null && times.isDue(line)) {
                    int node = kills.size() % nodes;
                    out().println("killing node " + node);
                    current = killer.submit(() -> kill(cluster, recovery, node));
                }
            }
        }
        return kills;
    }

    private static Kill kill(Cluster cluster, Recovery recovery, int node) {
        long killed = cluster.restart(node);
        long served = recovery.await();
        recovery.awaitComplete(cluster.ports());
        return new Kill(node, Duration.ofNanos(served - killed), Duration.ofNanos(System.nanoTime() - killed));
    }

    private Kill report(Future<Kill> ended) {
        try {
            Kill done = ended.get();
            out().println(String.format(Locale.ROOT, "node %d: each key was served again after %.2f s, and the node had"
                    + " its data after %.2f s", done.node(), seconds(done.recovery()), seconds(done.complete())));
            return done;
        } catch (ExecutionException e) {
            throw new LoadFailure("the store did not recover: " + e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LoadFailure("interrupted");
        }
    }

    private static double seconds(Duration time) {
        return time.toNanos() / (double) nanos(1);
    }

    private static long nanos(double seconds) {
        return Math.round(seconds * TimeUnit.SECONDS.toNanos(1));
    }

    private static void sleepUntil(long nanoTime) {
        try {
            TimeUnit.NANOSECONDS.sleep(Math.max(0, nanoTime - System.nanoTime()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LoadFailure("interrupted");
        }
    }

    private LoadCounts.Sums print(long sinceNanos, LoadCounts counts, LoadCounts.Sums before, long alive) {
        LoadCounts.Sums now = counts.sums();
        Histogram times = counts.interval();
        out().println(String.format(Locale.ROOT, "%7d  %10d  %8.2f  %8.2f  %9d  %6d  %5d  %7d  %4d  %5d",
                TimeUnit.NANOSECONDS.toSeconds(sinceNanos), now.answered() - before.answered(),
                LoadCounts.millis(times, MEDIAN), LoadCounts.millis(times, TAIL),
                now.retryable() - before.retryable(), now.failed(), now.wrong(), now.missing(), now.late(), alive));
        return now;
    }

    private void summarize(LoadCounts counts, List<Kill> kills) {
        LoadCounts.Sums sums = counts.sums();
        Histogram times = counts.all();
        out().println(String.format(Locale.ROOT, "%d requests answered, p50 %.2f ms, p99 %.2f ms, longest %.0f ms;"
                + " %d retryable errors, %d other errors, %d wrong, %d missing, %d late", sums.answered(),
                LoadCounts.millis(times, MEDIAN), LoadCounts.millis(times, TAIL), LoadCounts.millis(times, 100),
                sums.retryable(), sums.failed(), sums.wrong(), sums.missing(), sums.late()));
        if (!kills.isEmpty()) {
            out().println(String.format(Locale.ROOT, "%d kills, recovery %.2f to %.2f s", kills.size(),
                    kills.stream().mapToDouble(each -> seconds(each.recovery())).min().orElse(0),
                    kills.stream().mapToDouble(each -> seconds(each.recovery())).max().orElse(0)));
        }
        if (sums.failed() + sums.wrong() + sums.missing() + sums.late() > 0) {
            throw new LoadFailure("an answer was wrong, missing or late, or an error was not retryable");
        }
        if (kills.stream().anyMatch(each -> each.recovery().compareTo(Recovery.LIMIT) > 0)) {
            throw new LoadFailure("a key was not served again within " + Recovery.LIMIT.toSeconds() + " s");
        }
    }
}
