package io.reactorucx.benchmarks.rig;

import io.reactorucx.benchmarks.rig.cases.Contender;
import io.reactorucx.benchmarks.rig.cases.Row;
import io.reactorucx.benchmarks.rig.cases.Scenario;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The measurements of one round.
 *
 * <p>A host may move a virtual machine's processors, after which a message between them takes several times as long,
 * for seconds or minutes. So each measurement is kept with the time of a message in C before and after it, and only
 * measurements with similar times are compared.
 */
final class Round {

    private static final double ALIKE = 1.5;

    private final Map<Contender, List<Taken>> taken = new LinkedHashMap<>();

    /**
     * A measurement.
     *
     * @param measurement the figures
     * @param before time of a message in C before the measurement in nanoseconds; NaN when unknown
     * @param after time of a message in C after the measurement
     */
    record Taken(Measurement measurement, double before, double after) {

        private static boolean alike(double one, double other) {
            return Double.isNaN(one) || Double.isNaN(other) || Math.max(one, other) <= ALIKE * Math.min(one, other);
        }

        boolean isSteady() {
            return measurement.hasFailed() || alike(before, after);
        }

        boolean isAt(double hop) {
            return isSteady() && (measurement.hasFailed() || alike(before, hop) && alike(after, hop));
        }

        boolean goesWith(Taken other) {
            return isAt(other.before) && other.isAt(before) || measurement.hasFailed() || other.measurement.hasFailed();
        }
    }

    /** Two measurements to compare; {@code theirs} is ours again in a row without a second contender. */
    record Pair(Measurement ours, Measurement theirs, boolean steady) {
    }

    void add(Contender contender, Taken one) {
        taken.computeIfAbsent(contender, added -> new ArrayList<>()).add(one);
    }

    Map<Contender, List<Taken>> taken() {
        return taken;
    }

    private List<Taken> of(Contender contender) {
        return taken.getOrDefault(contender, List.of());
    }

    /** {@return the newest two comparable measurements of a row, any two where none are; null without two} */
    @Nullable Pair pair(Row row) {
        List<Taken> ours = of(row.ours()).reversed();
        List<Taken> theirs = row.theirs() == null ? ours : of(row.theirs()).reversed();
        if (ours.isEmpty() || theirs.isEmpty()) {
            return null;
        }
        for (Taken our : ours) {
            for (Taken their : theirs) {
                if (row.theirs() == null ? our == their : our.goesWith(their)) {
                    return new Pair(our.measurement(), their.measurement(), true);
                }
            }
        }
        return new Pair(ours.getFirst().measurement(), theirs.getFirst().measurement(), false);
    }

    /**
     * {@return the contender to measure again at this hop time, so that a row gets two comparable
     * measurements; null when all rows have them}
     */
    @Nullable Contender missing(Scenario scenario, double hop) {
        for (Row row : scenario.rows()) {
            Pair pair = pair(row);
            if (pair != null && !pair.steady()) {
                return row.theirs() == null || of(row.ours()).stream().noneMatch(each -> each.isAt(hop)) ? row.ours()
                        : row.theirs();
            }
        }
        return null;
    }
}
