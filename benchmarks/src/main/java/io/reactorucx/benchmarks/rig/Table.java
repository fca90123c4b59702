package io.reactorucx.benchmarks.rig;

import io.reactorucx.benchmarks.rig.cases.Metric;
import io.reactorucx.benchmarks.rig.cases.Row;
import io.reactorucx.benchmarks.rig.cases.Target;
import java.io.PrintStream;
import java.util.Locale;
import java.util.function.Function;

/** Prints comparisons in columns. */
final class Table {

    private static final String LINE = "%-32s %5s %13s %13s %9s  %-17s %-15s %s%n";

    private final PrintStream out;

    Table(PrintStream out) {
        this.out = out;
    }

    void head() {
        out.printf(LINE, "case", "cpus", "ours", "theirs", "ratio", "spread", "target", "met");
    }

    /**
     * Prints a line.
     *
     * @param processors how many processors its programs had
     * @param unsteady number of its rounds in which the machine changed
     */
    void line(Comparison comparison, String processors, long unsteady) {
        Row row = comparison.row();
        Metric metric = row.metric();
        String target = row.target().text(metric);
        if (!comparison.isMeasured()) {
            String met = row.target().kind() == Target.Kind.NONE ? "" : "no: ";
            out.printf(LINE, row.name(), processors, "-", "-", "-", "-", target,
                    met + "not measured, " + comparison.failure());
            return;
        }
        boolean alone = row.theirs() == null;
        boolean unknown = Double.isNaN(comparison.bounded());
        out.printf(LINE, row.name(), processors, metric.text(comparison.ours()),
                alone ? "-" : metric.text(comparison.theirs()),
                alone ? "-" : times(comparison.ratio()),
                alone ? metric.text(comparison.lowest()) + " .. " + metric.text(comparison.highest())
                        : times(comparison.lowest()) + " .. " + times(comparison.highest()),
                target, row.target().kind() == Target.Kind.NONE ? "-" : unknown ? "NO turn in the fast state"
                : comparison.isMet() ? "yes" : "NO");
        comparison.states().forEach((state, spread) -> state(row, state, spread));
        if (!comparison.failure().isEmpty()) {
            out.println("    only " + comparison.ratios().size() + " rounds: " + comparison.failure());
        }
        if (unsteady > 0) {
            out.println("    in " + unsteady + " of its rounds the machine changed its speed again and again");
        }
    }

    private void state(Row row, int state, Spread spread) {
        if (row.metric().isOfTurns()) {
            boolean alone = row.theirs() == null;
            Function<Double, String> text = alone ? row.metric()::text : Table::times;
            out.printf(Locale.ROOT, "    %-9s %4d turns, hop %s: %s%s (%s .. %s)%n",
                    HostStates.name(state), spread.turns(), Metric.P50.text(spread.hop()),
                    alone ? "" : row.metric().text(spread.ours()) + " / " + row.metric().text(spread.theirs()) + " = ",
                    text.apply(spread.median()), text.apply(spread.lower()), text.apply(spread.upper()));
        }
    }

    private static String times(double ratio) {
        return String.format(Locale.ROOT, ratio < 10 ? "%.2fx" : "%.0fx", ratio);
    }
}
