package io.reactorucx.benchmarks.startup;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/** The figures of clients without and with a cache, and the ratios of the pairs. */
final class StartupTable {

    private static final String COLUMNS = "%-22s%-28s%-28s%s%n";

    private StartupTable() {
    }

    /** @param with as many as {@code without}; those with the same index were measured one after the other */
    static String of(List<Start> without, List<Start> with) {
        return String.format(Locale.ROOT, COLUMNS, "", "without cache", "with cache", "ratio")
                + row("first response, ms", "%.0f", without, with, Start::firstReplyMillis)
                + row("90 % of the rate, ms", "%.0f", without, with, Start::steadyMillis)
                + row("steady rate, 1/s", "%.0f", without, with, Start::steadyRate);
    }

    private static String row(String name, String format, List<Start> without, List<Start> with,
            ToDoubleFunction<Start> figure) {
        double[] plain = without.stream().mapToDouble(figure).toArray();
        double[] cached = with.stream().mapToDouble(figure).toArray();
        double[] ratios = IntStream.range(0, plain.length).mapToDouble(i -> cached[i] / plain[i]).toArray();
        return String.format(Locale.ROOT, COLUMNS, name, text(format, plain), text(format, cached),
                text("%.2f", ratios));
    }

    /** The median, and in brackets the lowest and the highest. */
    private static String text(String format, double[] values) {
        double[] sorted = Arrays.stream(values).sorted().toArray();
        double median = (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
        return String.format(Locale.ROOT, format + " (" + format + ".." + format + ")", median, sorted[0],
                sorted[sorted.length - 1]);
    }
}
