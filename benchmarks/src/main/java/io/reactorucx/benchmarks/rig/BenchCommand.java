package io.reactorucx.benchmarks.rig;

import io.reactorucx.benchmarks.HelpOption;
import io.reactorucx.benchmarks.ModuleFolder;
import io.reactorucx.benchmarks.process.Cpus;
import io.reactorucx.benchmarks.report.SideBySide;
import io.reactorucx.benchmarks.rig.cases.Cases;
import io.reactorucx.benchmarks.rig.cases.Contender;
import io.reactorucx.benchmarks.rig.cases.Row;
import io.reactorucx.benchmarks.rig.cases.Scenario;
import io.reactorucx.benchmarks.rig.cases.Sweeps;
import io.reactorucx.benchmarks.rig.cases.Target;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Measures every case beside what it is compared with. */
@Command(name = "bench", description = "Measures Reactor UCX beside ucx_perftest, JUCX, Aeron, RSocket, Reactor Netty"
        + " and gRPC, each in two processes, in turns of 0.2 s. Prints a table with the ratio of each case: the"
        + " median of its rounds, the lowest and the highest, then the median and the quartiles of the single turns in"
        + " each state of the host. The columns ours and theirs are medians. Latency is half a round trip,"
        + " and for request, get and put the whole operation.")
public final class BenchCommand implements Callable<Integer> {

    private static final double QUICK_SECONDS = 530;
    private static final double MINUTE = 60;
    private static final double LARGE_WARMUP = 1.2;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;
    @Mixin
    private HelpOption help = new HelpOption();
    @Option(names = "--quick", description = "Fewer and shorter rounds, for about 10 minutes; on a slow machine one"
            + " round of the last cases.")
    private boolean quick;
    @Option(names = "--pairs", paramLabel = "N",
            description = "Rounds; each measures every contender with new processes. By default 5, with --quick 2, with"
            + " --sweep 1; at a fixed rate at most 3.")
    private @Nullable Integer pairs;
    @Option(names = "--seconds", paramLabel = "SECONDS",
            description = "Duration of each measurement, by default 1.2, in turns of 0.2; with --quick 0.8,"
            + " with --sweep 1. Four times as long at a fixed rate.")
    private @Nullable Double seconds;
    @Option(names = "--warmup-seconds", paramLabel = "SECONDS",
            description = "Longest warm-up before each measurement, by default 2; 1.2 times as long"
            + " for operations of 1 MiB without --quick.")
    private @Nullable Double warmupSeconds;
    @Option(names = "--case", paramLabel = "NAME",
            description = "Only cases whose name contains NAME. May be repeated.")
    private List<String> cases = new ArrayList<>();
    @Option(names = "--sweep",
            description = "Instead of the cases: sizes, windows, loads and numbers of connections, for the charts.")
    private boolean sweep;
    @Option(names = "--cpus", paramLabel = "SERVER:CLIENT",
            description = "Processors of each side in taskset's form, or any. By default a quarter of them for each"
            + " side, 1 to 4, each on a core of its own where there are enough.")
    private String cpus = "";
    @Option(names = "--fast-hop", paramLabel = "NS",
            description = "Longest time of a message of 8 bytes in C between the two processors at which the host is"
            + " in its fast state, in nanoseconds. By default 1.4 times the fastest of this run.")
    private double fastHop;
    @Option(names = "--out", paramLabel = "PATH",
            description = "File of the figures, by default bench.json or sweep.json in benchmarks/target.")
    private @Nullable Path out;
    @Option(names = "--minutes", paramLabel = "MINUTES", description = "Measures cases once where more rounds would"
            + " take longer, and none after this time.")
    private @Nullable Double minutes;
    @Option(names = "--publish", description = "Writes the machine and the table to publish.json beside the file of"
            + " the figures, to be compared with those of others.")
    private boolean publish;
    @Option(names = "--compare", paramLabel = "FILE", description = "Measures nothing, but prints the publish.json that"
            + " was written here beside another one.")
    private @Nullable Path compare;
    @Option(names = "--pack", paramLabel = "FILE", description = "Measures nothing, but makes an archive (.tar.gz) with"
            + " all that bench needs; its ./measure does so within 8 minutes on Linux with nothing installed.")
    private @Nullable Path pack;
    @Option(names = "--list", description = "Only list the cases and what they compare.")
    private boolean list;

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (pack != null) {
            throw refused("--pack: ./run makes the archive, from all arguments of ./run bench");
        }
        if (compare != null) {
            SideBySide.print(published(), compare, System.out);
            return 0;
        }
        List<Scenario> scenarios = (sweep ? Sweeps.all() : Cases.all()).stream()
                .map(each -> each.only(row -> cases.isEmpty() || cases.stream().anyMatch(row.name()::contains)))
                .filter(each -> !each.rows().isEmpty()).toList();
        if (scenarios.isEmpty()) {
            throw refused("--case " + String.join(", ", cases) + ": no case has this name; --list lists the cases");
        }
        if (list) {
            scenarios.forEach(each -> each.rows().forEach(row -> System.out.printf("%-32s %s%s  %s%n", row.name(),
                    row.ours().name(), row.theirs() == null ? "" : " against " + row.theirs().name(),
                    row.target().text(row.metric()))));
            return 0;
        }
        double warmup = or(warmupSeconds, 2);
        Timing timing = new Timing(warmup, quick ? warmup : LARGE_WARMUP * warmup,
                or(seconds, sweep ? 1 : quick ? 0.8 : 1.2), 10);
        int rounds = pairs != null ? pairs : sweep ? 1 : quick ? 2 : 5;
        if (!(fastHop >= 0)) {
            throw refused("--fast-hop " + fastHop + ": must be at least 0");
        }
        if (minutes != null && !(minutes > 0)) {
            throw refused("--minutes " + minutes + ": must be more than 0");
        }
        if (rounds < 1 || timing.seconds() <= 0 || timing.warmupSeconds() < 0) {
            throw refused("--pairs must be at least 1, --seconds more than 0, --warmup-seconds at least 0");
        }
        run(scenarios, where(), timing, rounds);
        return 0;
    }

    private Cpus where() {
        try {
            return Cpus.of(cpus);
        } catch (IllegalArgumentException e) {
            throw refused(String.valueOf(e.getMessage()));
        }
    }

    private ParameterException refused(String reason) {
        return new ParameterException(spec.commandLine(), reason);
    }

    private Path file() {
        return out != null ? out : ModuleFolder.path().resolve("target").resolve(sweep ? "sweep.json" : "bench.json");
    }

    private Path published() {
        return file().resolveSibling("publish.json");
    }

    private static double or(@Nullable Double given, double otherwise) {
        return given == null ? otherwise : given;
    }

    private void run(List<Scenario> scenarios, Cpus where, Timing timing, int rounds) throws IOException,
            InterruptedException {
        BenchFile file = new BenchFile(where, timing, rounds);
        Table table = new Table(System.out);
        List<Contender> contenders = scenarios.stream().flatMap(each -> each.contenders().stream()).toList();
        double estimate = contenders.stream()
                .mapToDouble(each -> timing.estimateOf(each) * Timing.roundsOf(each, rounds)).sum();
        Progress progress = new Progress(System.err,
                contenders.stream().mapToInt(each -> Timing.roundsOf(each, rounds)).sum(), estimate);
        Rounds gauged = new Rounds(new Processes(where, timing, List.of()), progress);
        TurnRounds inTurns = new TurnRounds(where, timing, List.of(), progress);
        HostStates host = new HostStates(fastHop);
        System.out.println(rounds + " rounds, " + timing.seconds() + " s each after up to " + timing.longestWarmup()
                + " s, " + where + "; about " + Progress.text(estimate) + " minutes");
        table.head();
        double limit = minutes != null ? minutes * MINUTE : quick ? QUICK_SECONDS : Double.POSITIVE_INFINITY;
        int met = 0;
        int all = 0;
        for (Scenario scenario : scenarios) {
            double once = scenario.contenders().stream().mapToDouble(timing::estimateOf).sum();
            boolean over = minutes != null && progress.secondsGone() + progress.secondsFor(once) > limit;
            boolean late = progress.secondsGone() + progress.secondsLeft() > limit;
            int now = over ? 0 : late ? 1 : rounds;
            boolean turns = !sweep && scenario.isByTurns();
            List<Round> measured = turns ? List.of() : gauged.measure(scenario, now, rounds);
            List<TurnRound> taken = turns ? inTurns.measure(scenario, now, rounds) : List.of();
            taken.forEach(round -> host.learn(round.hops()));
            file.add(measured);
            file.addTurns(taken);
            for (Row row : scenario.rows()) {
                List<Round.Pair> pairs = measured.stream().map(round -> round.pair(row)).filter(Objects::nonNull)
                        .toList();
                Comparison comparison = over ? Comparison.notMeasured(row, "no time was left")
                        : turns ? Comparison.ofTurns(row, taken, host)
                        : Comparison.of(row, pairs.stream().map(Round.Pair::ours).toList(),
                        pairs.stream().map(Round.Pair::theirs).toList());
                long unsteady = pairs.stream().filter(pair -> !pair.steady()).count();
                table.line(comparison, file.processors(row), unsteady);
                file.add(comparison, unsteady);
                if (row.target().kind() != Target.Kind.NONE) {
                    met += comparison.isMet() ? 1 : 0;
                    all++;
                }
            }
            file.write(file());
            if (publish) {
                file.publish(published());
            }
        }
        System.out.println(met + " of " + all + " targets met, " + Progress.text(progress.secondsGone()) + " minutes, "
                + (publish ? published() : file()));
    }
}
