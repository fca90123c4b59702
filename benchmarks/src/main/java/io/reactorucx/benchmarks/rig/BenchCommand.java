package io.reactorucx.benchmarks.rig;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures everything that the project has set itself, beside what it is compared with. */
@Command(name = "bench", mixinStandardHelpOptions = true, description = {
    "Measures Reactor UCX beside ucx_perftest, JUCX, Aeron, RSocket, Reactor Netty and gRPC, each in two processes, in turns.",
    "Prints a table with the ratio of each case, as the median of its rounds, and the lowest and highest of them. ours and theirs are",
    "medians, too; latency is half a round trip, for request, get and put the whole operation."})
public final class BenchCommand implements Callable<Integer> {

    private static final double QUICK_SECONDS = 530;
    private static final double LARGE_WARMUP = 1.6;

    @Option(names = "--quick", description = "Fewer rounds, and shorter, meant for 10 minutes; only one of a case where the machine is slow.")
    private boolean quick;
    @Option(names = "--pairs", description = "Rounds in which each contender is measured once; 5, or 2 with --quick, 1 with --sweep.")
    private @Nullable Integer pairs;
    @Option(names = "--seconds", description = "How long each measurement takes; 1.5, or 0.8 with --quick, 1 with --sweep.")
    private @Nullable Double seconds;
    @Option(names = "--warmup-seconds", description = "How long each runs before that at most; 2.5, or 2 with --sweep."
            + " Operations of 1 MiB: 1.6 times as long, but for --quick.")
    private @Nullable Double warmupSeconds;
    @Option(names = "--case", paramLabel = "NAME", description = "Only cases whose name contains this; may be repeated.")
    private List<String> cases = new ArrayList<>();
    @Option(names = "--sweep", description = "Instead of the cases: sizes, windows, loads and numbers of connections, for charts.")
    private boolean sweep;
    @Option(names = "--cpus", paramLabel = "SERVER:CLIENT",
            description = "Processors of each side as taskset -c takes them, or any; a core each by default, where there are two.")
    private String cpus = "";
    @Option(names = "--out", description = "Where the JSON goes; bench.json in this module's target folder by default, or sweep.json.")
    private @Nullable Path out;
    @Option(names = "--list", description = "Only names the cases and what they compare.")
    private boolean list;

    @Override
    public Integer call() throws IOException, InterruptedException {
        List<Scenario> scenarios = (sweep ? Sweeps.all() : Cases.all()).stream().map(each -> each.only(row -> cases.isEmpty()
                || cases.stream().anyMatch(row.name()::contains))).filter(each -> !each.rows().isEmpty()).toList();
        if (scenarios.isEmpty()) {
            throw new IllegalArgumentException("--case " + cases + ": --list names those that there are");
        }
        if (list) {
            scenarios.forEach(each -> each.rows().forEach(row -> System.out.printf("%-32s %s%s  %s%n", row.name(), row.ours().name(),
                    row.theirs() == null ? "" : " against " + row.theirs().name(), row.target().text(row.metric()))));
            return 0;
        }
        double warmup = or(warmupSeconds, sweep ? 2 : 2.5);
        Timing timing = new Timing(warmup, quick ? warmup : LARGE_WARMUP * warmup, or(seconds, sweep ? 1 : quick ? 0.8 : 1.5), 10);
        int rounds = pairs != null ? pairs : sweep ? 1 : quick ? 2 : 5;
        if (rounds < 1 || timing.seconds() <= 0 || timing.warmupSeconds() < 0) {
            throw new IllegalArgumentException("--pairs at least 1, --seconds above 0, --warmup-seconds not below");
        }
        run(scenarios, Cpus.of(cpus), timing, rounds);
        return 0;
    }

    private Path file() {
        if (out != null) {
            return out;
        }
        // The folder target/classes, or this module's jar in target/lib.
        Path code = Path.of(URI.create(BenchCommand.class.getProtectionDomain().getCodeSource().getLocation().toString()));
        return code.resolve(Files.isDirectory(code) ? ".." : "../..").normalize().resolve(sweep ? "sweep.json" : "bench.json");
    }

    private static double or(@Nullable Double given, double otherwise) {
        return given == null ? otherwise : given;
    }

    private void run(List<Scenario> scenarios, Cpus where, Timing timing, int rounds) throws IOException, InterruptedException {
        BenchFile file = new BenchFile(where, timing, rounds);
        Table table = new Table(System.out);
        List<Contender> contenders = scenarios.stream().flatMap(each -> each.contenders().stream()).toList();
        double estimate = contenders.stream().mapToDouble(each -> timing.estimateOf(each) * Timing.roundsOf(each, rounds)).sum();
        Progress progress = new Progress(System.err, contenders.stream().mapToInt(each -> Timing.roundsOf(each, rounds)).sum(), estimate);
        Rounds gauged = new Rounds(new Processes(where, timing), progress);
        System.out.println(rounds + " rounds, " + timing.seconds() + " s each after up to " + timing.longestWarmup() + " s, " + where
                + "; about " + Progress.text(estimate) + " minutes");
        table.head();
        int met = 0;
        int all = 0;
        for (Scenario scenario : scenarios) {
            boolean late = quick && progress.secondsGone() + progress.secondsLeft() > QUICK_SECONDS;
            List<Round> measured = gauged.measure(scenario, late ? 1 : rounds, rounds);
            file.add(measured);
            for (Row row : scenario.rows()) {
                List<Round.Pair> pairs = measured.stream().map(round -> round.pair(row)).filter(Objects::nonNull).toList();
                Comparison comparison = Comparison.of(row, pairs.stream().map(Round.Pair::ours).toList(),
                        pairs.stream().map(Round.Pair::theirs).toList());
                long unsteady = pairs.stream().filter(pair -> !pair.steady()).count();
                table.line(comparison, unsteady);
                file.add(comparison, unsteady);
                if (row.target().kind() != Target.Kind.NONE) {
                    met += comparison.isMet() ? 1 : 0;
                    all++;
                }
            }
            file.write(file());
        }
        System.out.println(met + " of " + all + " targets met, " + Progress.text(progress.secondsGone()) + " minutes, " + file());
    }
}
