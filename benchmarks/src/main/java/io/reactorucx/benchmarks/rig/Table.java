package io.reactorucx.benchmarks.rig;

import java.io.PrintStream;
import java.util.Locale;

/** Prints comparisons in columns. */
final class Table {

    private static final String LINE = "%-32s %13s %13s %9s  %-17s %-15s %s%n";

    private final PrintStream out;

    Table(PrintStream out) {
        this.out = out;
    }

    void head() {
        out.printf(LINE, "case", "ours", "theirs", "ratio", "spread", "target", "met");
    }

    /**
     * Prints a line.
     *
     * @param unsteady number of its rounds in which the machine changed
     */
    void line(Comparison comparison, long unsteady) {
        Row row = comparison.row();
        Metric metric = row.metric();
        String target = row.target().text(metric);
        if (!comparison.isMeasured()) {
            String met = row.target().kind() == Target.Kind.NONE ? "" : "no: ";
            out.printf(LINE, row.name(), "-", "-", "-", "-", target, met + "not measured, " + comparison.failure());
            return;
        }
        boolean alone = row.theirs() == null;
        out.printf(LINE, row.name(), metric.text(comparison.ours()), alone ? "-" : metric.text(comparison.theirs()),
                alone ? "-" : times(comparison.ratio()),
                alone ? metric.text(comparison.lowest()) + " .. " + metric.text(comparison.highest())
                        : times(comparison.lowest()) + " .. " + times(comparison.highest()),
                target, row.target().kind() == Target.Kind.NONE ? "-" : comparison.isMet() ? "yes" : "NO");
        if (!comparison.failure().isEmpty()) {
            out.println("    only " + comparison.ratios().size() + " rounds: " + comparison.failure());
        }
        if (unsteady > 0) {
            out.println("    in " + unsteady + " of its rounds the machine changed its speed again and again");
        }
    }

    private static String times(double ratio) {
        return String.format(Locale.ROOT, ratio < 10 ? "%.2fx" : "%.0fx", ratio);
    }
}
