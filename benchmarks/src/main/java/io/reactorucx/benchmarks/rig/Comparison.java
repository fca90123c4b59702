package io.reactorucx.benchmarks.rig;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * A line of the table, with its figures.
 *
 * @param row the line
 * @param ours median of our figures
 * @param theirs median of the other contender's figures; NaN in a row without one
 * @param ratios the values that are compared with the target, one for each round
 * @param failure why there are no figures; empty otherwise
 */
record Comparison(Row row, double ours, double theirs, List<Double> ratios, String failure) {

    /** Compares the two measurements of each round, which were made one after the other. */
    static Comparison of(Row row, List<Measurement> ours, List<Measurement> theirs) {
        List<Double> ourFigures = new ArrayList<>();
        List<Double> theirFigures = new ArrayList<>();
        List<Double> ratios = new ArrayList<>();
        String failure = "";
        for (int round = 0; round < ours.size(); round++) {
            Measurement our = ours.get(round);
            Measurement their = row.theirs() == null ? our : theirs.get(round);
            OptionalDouble figure = our.figure(row.metric());
            OptionalDouble otherFigure = their.figure(row.metric());
            if (figure.isEmpty() || otherFigure.isEmpty()) {
                failure = why(row, figure.isEmpty() ? row.ours() : row.theirs(), figure.isEmpty() ? our : their);
                continue;
            }
            ourFigures.add(figure.getAsDouble());
            theirFigures.add(row.theirs() == null ? Double.NaN : otherFigure.getAsDouble());
            ratios.add(row.theirs() == null ? figure.getAsDouble() : row.target()
                    .ratio(figure.getAsDouble(), otherFigure.getAsDouble()));
        }
        return new Comparison(row, median(ourFigures), median(theirFigures), List.copyOf(ratios), failure);
    }

    private static String why(Row row, @Nullable Contender who, Measurement measurement) {
        return (who == null ? row.name() : who.name()) + ": " + (measurement.hasFailed() ? measurement.failure()
                : "no " + row.metric().field() + " in what it printed");
    }

    static double median(List<Double> values) {
        if (values.isEmpty()) {
            return Double.NaN;
        }
        List<Double> sorted = values.stream().sorted().toList();
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }

    boolean isMeasured() {
        return !ratios.isEmpty();
    }

    double ratio() {
        return median(ratios);
    }

    double lowest() {
        return ratios.stream().mapToDouble(Double::doubleValue).min().orElse(Double.NaN);
    }

    double highest() {
        return ratios.stream().mapToDouble(Double::doubleValue).max().orElse(Double.NaN);
    }

    boolean isMet() {
        return isMeasured() && row.target().isMetBy(ratio());
    }
}
