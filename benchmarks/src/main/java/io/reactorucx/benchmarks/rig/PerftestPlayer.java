package io.reactorucx.benchmarks.rig;

import com.google.gson.JsonObject;
import io.reactorucx.benchmarks.process.ChildProcess;
import io.reactorucx.benchmarks.process.MeasurementFailure;
import io.reactorucx.benchmarks.rig.cases.Metric;
import io.reactorucx.benchmarks.rig.cases.Perftest;
import io.reactorucx.benchmarks.turns.Turn;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * {@code ucx_perftest} in turns. It prints its figures once a second, at the first message after that: so there are
 * several pairs of its processes, which run in turn, as many as make each wait for more than a second. Each prints when
 * it is continued, and its line is about its turn before: the number of messages since the line before, and the median
 * of the last 2,048 of them.
 */
final class PerftestPlayer implements Player {

    /** A little more than the time between two lines. */
    static final double LINE_SECONDS = 1.05;

    private static final double SECOND = TimeUnit.SECONDS.toNanos(1);
    /** A line that comes later after the begin of a turn is about that turn. */
    private static final long FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(30);
    private static final double LAST_LINE_SECONDS = 5;

    private final Perftest perftest;
    private final long turnNanos;
    private final List<PerftestProcesses.Sides> all;
    private final long[] cpuAtFirstTurn;
    private long operations;
    private long cpuNanos;
    private List<Measurement> figures = List.of();

    PerftestPlayer(Perftest perftest, long turnNanos, List<PerftestProcesses.Sides> all) {
        this.perftest = perftest;
        this.turnNanos = turnNanos;
        this.all = all;
        this.cpuAtFirstTurn = new long[all.size()];
    }

    static PerftestPlayer start(Perftest perftest, long turnNanos, int pairs, PerftestProcesses processes)
            throws IOException, InterruptedException {
        List<PerftestProcesses.Sides> all = new ArrayList<>();
        try {
            for (int i = 0; i < pairs; i++) {
                all.add(processes.endless(perftest));
            }
            for (PerftestProcesses.Sides each : all) {
                if (!each.client().awaitLines(PerftestPlayer::haveReport, Processes.READY_SECONDS)) {
                    throw new MeasurementFailure("ucx_perftest printed no figures" + each.client().lastWords());
                }
                stop(each);
            }
            return new PerftestPlayer(perftest, turnNanos, all);
        } catch (IOException | InterruptedException | RuntimeException e) {
            all.forEach(PerftestProcesses.Sides::close);
            throw e;
        }
    }

    private static boolean haveReport(List<ChildProcess.Line> lines) {
        return lines.stream().anyMatch(line -> Perftest.Report.of(line.nanos(), line.text()).isPresent());
    }

    private PerftestProcesses.Sides of(int cycle) {
        return all.get(cycle % all.size());
    }

    private static void stop(PerftestProcesses.Sides sides) {
        sides.client().stop();
        sides.server().stop();
    }

    @Override
    public void resume(int cycle) {
        PerftestProcesses.Sides sides = of(cycle);
        if (cycle < all.size()) {
            cpuAtFirstTurn[cycle] = sides.cpuNanos();
        }
        sides.server().resume();
        sides.client().resume();
    }

    @Override
    public void stop(int cycle) {
        stop(of(cycle));
    }

    @Override
    public long turnNanos() {
        return turnNanos;
    }

    /** Continues each pair until it has printed the line about its last turn. */
    @Override
    public void finish(List<Turn> turns) throws InterruptedException {
        for (int pair = 0; pair < Math.min(all.size(), turns.size()); pair++) {
            ChildProcess client = all.get(pair).client();
            int last = turns.size() - 1 - (turns.size() - 1 - pair) % all.size();
            long end = turns.get(last).end();
            List<ChildProcess.Line> lines = client.lines();
            long due = (lines.isEmpty() ? end : lines.getLast().nanos()) + (long) (LINE_SECONDS * SECOND);
            TimeUnit.NANOSECONDS.sleep(due - System.nanoTime());
            resume(last);
            try {
                client.awaitLines(now -> !now.isEmpty() && now.getLast().nanos() - end > 0, LAST_LINE_SECONDS);
            } finally {
                stop(last);
            }
            cpuNanos += all.get(pair).cpuNanos() - cpuAtFirstTurn[pair];
        }
        figures = figures(turns);
    }

    @Override
    public List<Measurement> figures(List<Turn> turns) {
        operations = 0;
        List<Measurement> of = new ArrayList<>();
        for (int cycle = 0; cycle < turns.size(); cycle++) {
            of.add(Measurement.failed("ucx_perftest printed nothing about this turn"));
        }
        for (int pair = 0; pair < all.size(); pair++) {
            List<Perftest.Report> reports = all.get(pair).client().lines().stream()
                    .flatMap(line -> Perftest.Report.of(line.nanos(), line.text()).stream()).toList();
            for (int i = 1; i < reports.size(); i++) {
                int cycle = before(turns, pair, reports.get(i).nanos());
                int cycleBefore = before(turns, pair, reports.get(i - 1).nanos());
                long count = reports.get(i).iterations() - reports.get(i - 1).iterations();
                operations += count;
                if (cycle >= 0) {
                    of.set(cycle, Measurement.of(figures(reports.get(i), cycle - cycleBefore == all.size() ? count : -1,
                            turns.get(cycle))));
                }
            }
        }
        return of;
    }

    /** The turn that a line is about. */
    private int before(List<Turn> turns, int pair, long nanos) {
        int found = pair - all.size();
        for (int cycle = pair; cycle < turns.size(); cycle += all.size()) {
            if (nanos - turns.get(cycle).begin() > FIRST_NANOS) {
                found = cycle;
            }
        }
        return found;
    }

    private JsonObject figures(Perftest.Report report, long count, Turn turn) {
        JsonObject json = new JsonObject();
        if (perftest.isLatency()) {
            json.addProperty(Metric.P50.field(), report.medianNanos());
        }
        if (count >= 0) {
            double rate = count * SECOND / turn.nanos();
            json.addProperty(Metric.RATE.field(), rate);
            json.addProperty(Metric.BANDWIDTH.field(), rate * perftest.size());
        }
        return json;
    }

    @Override
    public Measurement whole() {
        JsonObject json = perftest.description();
        for (Metric metric : List.of(Metric.P50, Metric.RATE, Metric.BANDWIDTH)) {
            List<Double> values = figures.stream().flatMap(each -> each.figure(metric).stream().boxed()).toList();
            if (!values.isEmpty()) {
                json.addProperty(metric.field(), Comparison.median(values));
            }
        }
        json.addProperty("turns", figures.stream().filter(each -> !each.hasFailed()).count());
        if (operations > 0) {
            json.addProperty("cpu_ns_per_op", cpuNanos / (double) operations);
        }
        return Measurement.of(json);
    }

    @Override
    public void close() {
        all.forEach(PerftestProcesses.Sides::close);
    }
}
