package io.reactorucx.benchmarks.rig;

import io.reactorucx.benchmarks.rig.cases.Contender;
import io.reactorucx.benchmarks.rig.cases.Row;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalDouble;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A line of the table, with its figures.
 *
 * @param row the line
 * @param ours median of our figures
 * @param theirs median of the other contender's figures; NaN in a row without one
 * @param ratios the values that are compared with the target, one for each round
 * @param failure why there are no figures; empty otherwise
 * @param states the ratios of the single turns, by the state of the host; empty where there were no turns
 */
record Comparison(Row row, double ours, double theirs, List<Double> ratios, String failure,
        SortedMap<Integer, Spread> states) {

    /** Compares the turns of each cycle; a figure of the whole measurement, such as allocation, by round. */
    static Comparison ofTurns(Row row, List<TurnRound> rounds, HostStates host) {
        List<Spread.Pair> pairs = new ArrayList<>();
        List<Double> ratios = new ArrayList<>();
        String failure = "";
        for (TurnRound round : rounds) {
            List<Spread.Pair> ofRound = pairs(row, round, host);
            if (ofRound.isEmpty()) {
                Contender theirs = row.theirs();
                Measurement ours = round.wholeOf(row.ours());
                failure = theirs == null || ours.hasFailed() ? why(row, row.ours(), ours)
                        : why(row, theirs, round.wholeOf(theirs));
            } else {
                pairs.addAll(ofRound);
                ratios.add(median(ofRound.stream().map(Spread.Pair::ratio).toList()));
            }
        }
        SortedMap<Integer, Spread> states = new TreeMap<>();
        pairs.stream().map(Spread.Pair::state).distinct().forEach(state -> states.put(state,
                Spread.of(pairs.stream().filter(pair -> pair.state() == state).toList())));
        return new Comparison(row, median(pairs.stream().map(Spread.Pair::ours).toList()),
                median(pairs.stream().map(Spread.Pair::theirs).toList()), List.copyOf(ratios), failure, states);
    }

    private static List<Spread.Pair> pairs(Row row, TurnRound round, HostStates host) {
        Contender other = row.theirs();
        List<Measurement> ours = row.metric().isOfTurns() ? round.of(row.ours())
                : List.of(round.wholeOf(row.ours()));
        List<Measurement> theirs = other == null ? ours : row.metric().isOfTurns() ? round.of(other)
                : List.of(round.wholeOf(other));
        List<Spread.Pair> pairs = new ArrayList<>();
        for (int cycle = 0; cycle < Math.min(ours.size(), theirs.size()); cycle++) {
            OptionalDouble our = ours.get(cycle).figure(row.metric());
            OptionalDouble their = theirs.get(cycle).figure(row.metric());
            if (our.isPresent() && their.isPresent()) {
                pairs.add(new Spread.Pair(our.getAsDouble(), other == null ? Double.NaN : their.getAsDouble(),
                        row.target().ratio(our.getAsDouble(), their.getAsDouble(), other == null), round.hop(cycle),
                        row.metric().isOfTurns() ? host.of(round.hop(cycle), round.hopAfter(cycle))
                        : HostStates.CHANGING));
            }
        }
        return pairs;
    }

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
            ratios.add(row.target().ratio(figure.getAsDouble(), otherFigure.getAsDouble(), row.theirs() == null));
        }
        return new Comparison(row, median(ourFigures), median(theirFigures), List.copyOf(ratios), failure,
                Collections.emptySortedMap());
    }

    /** {@return a line without figures} */
    static Comparison notMeasured(Row row, String reason) {
        return new Comparison(row, Double.NaN, Double.NaN, List.of(), reason, Collections.emptySortedMap());
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

    /** {@return the ratio that the target bounds; NaN when there was no turn in the state that it is for} */
    double bounded() {
        if (!row.target().fastState()) {
            return ratio();
        }
        Spread fast = states.get(HostStates.FAST);
        return fast == null ? Double.NaN : fast.median();
    }

    boolean isMet() {
        return isMeasured() && row.target().isMetBy(bounded());
    }
}
