package io.reactorucx.benchmarks.report;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.Arrays;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.StringJoiner;

/** Tables of a run: each case beside its target, and the cost of a message for each contender. */
final class MarkdownTable {

    private static final double KILO = 1e3;

    private MarkdownTable() {
    }

    static String of(Run run) {
        StringJoiner text = new StringJoiner("\n", "", "\n");
        text.add(run.circumstances()).add("");
        text.add("| case | processors | ours | theirs | ratio | spread | by state of the host | target | met |")
                .add("|---|---:|---:|---:|---:|---:|---|---:|---|");
        run.rows().forEach(row -> text.add(line(row)));
        text.add("").add("| measured | latency | operations per second | processor time of both sides per million |"
                + " Java heap for each |");
        text.add("|---|---:|---:|---:|---:|");
        run.contenders().forEach(contender -> text.add(cells(contender,
                shown(run.median(contender, "p50_ns"), MarkdownTable::time),
                shown(run.median(contender, "messages_per_second"), MarkdownTable::count),
                shown(run.median(contender, "cpu_ns_per_op"), value -> rounded(value / KILO) + " s"),
                shown(run.median(contender, "alloc_bytes_per_op"), value -> rounded(value) + " B"))));
        return text.toString();
    }

    private interface Text {

        String of(double value);
    }

    private static String shown(OptionalDouble value, Text text) {
        return value.isPresent() ? text.of(value.getAsDouble()) : "";
    }

    private static String line(JsonObject row) {
        String name = row.get("case").getAsString();
        String processors = row.has("processors") ? row.get("processors").getAsString() : "";
        String kind = row.get("target_kind").getAsString();
        String target = target(kind, row.get("target").getAsDouble(), row.get("metric").getAsString())
                + (row.has("target_fast_state") && row.get("target_fast_state").getAsBoolean() ? ", fast" : "");
        if (!row.has("ratio")) {
            return cells(name, processors, "", "", "", "", "", target, "not measured: "
                    + row.get("failure").getAsString().replace("|", "/"));
        }
        String metric = row.get("metric").getAsString();
        boolean alone = !row.has("theirs");
        String spread = alone ? text(metric, row.get("lowest").getAsDouble()) + " – "
                + text(metric, row.get("highest").getAsDouble()) : times(row.get("lowest").getAsDouble()) + " – "
                + times(row.get("highest").getAsDouble());
        return cells(name, processors, text(metric, row.get("ours").getAsDouble()), alone ? ""
                : text(metric, row.get("theirs").getAsDouble()), alone ? "" : times(row.get("ratio").getAsDouble()),
                spread, states(row, metric, alone), target,
                kind.equals("none") ? "" : row.get("met").getAsBoolean() ? "yes" : "**no**");
    }

    /** The ratio in each state, with the time of a message in C and the number of turns. */
    private static String states(JsonObject row, String metric, boolean alone) {
        StringJoiner text = new StringJoiner("; ");
        if (row.has("states")) {
            for (JsonElement each : row.getAsJsonArray("states")) {
                JsonObject state = each.getAsJsonObject();
                double ratio = state.get("ratio").getAsDouble();
                text.add(state.get("state").getAsString() + " " + (alone ? text(metric, ratio) : times(ratio)) + " ("
                        + (state.has("hop_ns") ? time(state.get("hop_ns").getAsDouble()) + ", " : "")
                        + state.get("turns").getAsInt() + " turns)");
            }
        }
        return text.toString();
    }

    private static String cells(String... cells) {
        return "| " + String.join(" | ", Arrays.asList(cells)) + " |";
    }

    private static String target(String kind, double bound, String metric) {
        return switch (kind) {
            case "at_most" -> "at most " + times(bound);
            case "at_least" -> "at least " + times(bound);
            case "faster" -> "at least " + times(bound) + " as fast";
            case "figure_at_most" -> "at most " + text(metric, bound);
            default -> "";
        };
    }

    static String text(String metric, double value) {
        return switch (metric) {
            case "p50_ns", "p99_ns", "p999_ns", "cpu_ns_per_op" -> time(value);
            case "bytes_per_second" -> rounded(value / 1e9) + " GB/s";
            case "messages_per_second" -> rounded(value / 1e6) + " M/s";
            case "alloc_bytes_per_op" -> rounded(value) + " B";
            default -> rounded(value * 100) + " %";
        };
    }

    private static String time(double nanos) {
        return nanos < 10 * KILO ? rounded(nanos) + " ns" : rounded(nanos / KILO) + " us";
    }

    private static String count(double value) {
        return value >= KILO * KILO ? rounded(value / KILO / KILO) + " M" : value >= KILO ? rounded(value / KILO) + " k"
                : rounded(value);
    }

    static String times(double ratio) {
        return rounded(ratio) + "x";
    }

    /** Rounds to three significant digits. */
    private static String rounded(double value) {
        return String.format(Locale.ROOT, value >= 100 ? "%.0f" : value >= 10 ? "%.1f" : "%.2f", value);
    }
}
