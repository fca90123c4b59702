package io.reactorucx.benchmarks.rig;

import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.reactorucx.benchmarks.process.Cpus;
import io.reactorucx.benchmarks.rig.cases.Contender;
import io.reactorucx.benchmarks.rig.cases.Row;
import io.reactorucx.core.Ucx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** A run as JSON: the machine, the method, the table, and each measurement as it was printed. */
final class BenchFile {

    private static final String MEASUREMENTS = "measurements";

    private final Cpus cpus;
    private final JsonObject json = new JsonObject();
    private final JsonArray rows = new JsonArray();
    private final JsonArray measurements = new JsonArray();

    BenchFile(Cpus cpus, Timing timing, int pairs) throws IOException {
        this.cpus = cpus;
        JsonObject machine = new JsonObject();
        machine.addProperty("processors", Runtime.getRuntime().availableProcessors());
        machine.addProperty("processor", processor());
        machine.addProperty("system", System.getProperty("os.name") + " " + System.getProperty("os.version"));
        machine.addProperty("java", System.getProperty("java.vm.name") + " " + Runtime.version());
        machine.addProperty("ucx", Ucx.isAvailable() ? Ucx.version().toString() : "none");
        JsonObject how = new JsonObject();
        how.addProperty("pinning", cpus.toString());
        how.addProperty("pairs", pairs);
        how.addProperty("warmup_seconds", timing.warmupSeconds());
        how.addProperty("large_warmup_seconds", timing.largeWarmupSeconds());
        how.addProperty("seconds", timing.seconds());
        how.addProperty("turn_seconds", timing.turnNanos() / 1e9);
        how.addProperty("idle_seconds", timing.idleSeconds());
        how.addProperty("jvm_options", String.join(" ", Commands.JVM_OPTIONS) + " -XX:+UseSerialGC");
        json.addProperty("started", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
        // ./run and a pack name it; another start of the same code does not know it.
        json.addProperty("commit", System.getProperty("io.reactorucx.benchmarks.commit", "unknown"));
        json.add("machine", machine);
        json.add("how", how);
        json.add("rows", rows);
        json.add(MEASUREMENTS, measurements);
    }

    private static String processor() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
            return lines.filter(line -> line.startsWith("model name")).findFirst()
                    .map(line -> line.substring(line.indexOf(':') + 1).strip()).orElse(System.getProperty("os.arch"));
        }
    }

    void add(List<Round> rounds) {
        for (int number = 0; number < rounds.size(); number++) {
            int round = number + 1;
            rounds.get(number).taken().forEach((contender, all) -> all.forEach(taken ->
                    measurements.add(json(contender, round, taken))));
        }
    }

    private static JsonObject json(Contender contender, int round, Round.Taken taken) {
        JsonObject one = new JsonObject();
        one.addProperty("contender", contender.name());
        one.addProperty("round", round);
        if (!Double.isNaN(taken.before()) && !Double.isNaN(taken.after())) {
            one.addProperty("hop_ns_before", taken.before());
            one.addProperty("hop_ns_after", taken.after());
        }
        if (taken.measurement().hasFailed()) {
            one.addProperty("failure", taken.measurement().failure());
        } else {
            one.add("figures", taken.measurement().figures());
        }
        return one;
    }

    /** Adds rounds in turns. */
    void addTurns(List<TurnRound> rounds) {
        for (int number = 0; number < rounds.size(); number++) {
            TurnRound round = rounds.get(number);
            JsonArray hops = new JsonArray();
            round.hops().stream().filter(hop -> !Double.isNaN(hop)).forEach(hops::add);
            for (Contender contender : round.whole().keySet()) {
                JsonObject one = json(contender, number + 1, new Round.Taken(round.wholeOf(contender), Double.NaN,
                        Double.NaN));
                one.add("hops_ns", hops);
                JsonArray turns = new JsonArray();
                round.of(contender).forEach(turn -> turns.add(turn.figures()));
                one.add("turns", turns);
                measurements.add(one);
            }
        }
    }

    private static JsonObject json(int state, Spread spread) {
        JsonObject one = new JsonObject();
        one.addProperty("state", HostStates.name(state));
        one.addProperty("turns", spread.turns());
        one.addProperty("ratio", spread.median());
        one.addProperty("lower_quartile", spread.lower());
        one.addProperty("upper_quartile", spread.upper());
        one.addProperty("ours", spread.ours());
        if (!Double.isNaN(spread.theirs())) {
            one.addProperty("theirs", spread.theirs());
        }
        if (!Double.isNaN(spread.hop())) {
            one.addProperty("hop_ns", spread.hop());
        }
        return one;
    }

    void add(Comparison comparison, long unsteady) {
        Row row = comparison.row();
        JsonObject one = new JsonObject();
        one.addProperty("case", row.name());
        one.addProperty("processors", processors(row));
        one.addProperty("metric", row.metric().field());
        one.addProperty("contender", row.ours().name());
        if (row.theirs() != null) {
            one.addProperty("against", row.theirs().name());
        }
        one.addProperty("target_kind", row.target().kind().name().toLowerCase(Locale.ROOT));
        one.addProperty("target", row.target().bound());
        one.addProperty("target_fast_state", row.target().fastState());
        if (comparison.isMeasured()) {
            one.addProperty("ours", comparison.ours());
            if (row.theirs() != null) {
                one.addProperty("theirs", comparison.theirs());
            }
            one.addProperty("ratio", comparison.ratio());
            one.addProperty("lowest", comparison.lowest());
            one.addProperty("highest", comparison.highest());
            JsonArray ratios = new JsonArray();
            comparison.ratios().forEach(ratios::add);
            one.add("ratios", ratios);
            one.addProperty("unsteady_rounds", unsteady);
            if (row.metric().isOfTurns()) {
                JsonArray states = new JsonArray();
                comparison.states().forEach((state, spread) -> states.add(json(state, spread)));
                one.add("states", states);
            }
        }
        one.addProperty("met", comparison.isMet());
        if (!comparison.failure().isEmpty()) {
            one.addProperty("failure", comparison.failure());
        }
        rows.add(one);
    }

    /** {@return how many processors the programs of a row had} */
    String processors(Row row) {
        return cpus.counts(row.ours().tool() != Contender.Tool.LAYERS);
    }

    void write(Path file) throws IOException {
        write(file, json);
    }

    /** Writes all but the single measurements: what another machine's figures are compared with. */
    void publish(Path file) throws IOException {
        JsonObject published = json.deepCopy();
        published.remove(MEASUREMENTS);
        write(file, published);
    }

    private static void write(Path file, JsonObject json) throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        Files.writeString(file, new GsonBuilder().setPrettyPrinting().create().toJson(json) + "\n");
    }
}
