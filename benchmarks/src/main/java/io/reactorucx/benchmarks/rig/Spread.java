package io.reactorucx.benchmarks.rig;

import java.util.List;

/**
 * The ratios of turns in one state of the host.
 *
 * @param turns number of pairs of turns
 * @param median the median of their ratios, NaN without any
 * @param lower their lower quartile
 * @param upper their upper quartile
 * @param ours the median of our figures
 * @param theirs the median of the other contender's figures
 * @param hop the median time of a message in C in nanoseconds
 */
record Spread(int turns, double median, double lower, double upper, double ours, double theirs, double hop) {

    /**
     * A pair of turns of one cycle.
     *
     * @param ours our figure
     * @param theirs the other contender's
     * @param ratio the value that is compared with the target
     * @param hop the time of a message in C
     * @param state the state of the host
     */
    record Pair(double ours, double theirs, double ratio, double hop, int state) {
    }

    static Spread of(List<Pair> pairs) {
        List<Double> ratios = pairs.stream().map(Pair::ratio).sorted().toList();
        return new Spread(ratios.size(), Comparison.median(ratios), quantile(ratios, 0.25), quantile(ratios, 0.75),
                Comparison.median(pairs.stream().map(Pair::ours).toList()),
                Comparison.median(pairs.stream().map(Pair::theirs).toList()),
                Comparison.median(pairs.stream().map(Pair::hop).toList()));
    }

    private static double quantile(List<Double> sorted, double share) {
        return sorted.isEmpty() ? Double.NaN : sorted.get((int) Math.round(share * (sorted.size() - 1)));
    }
}
