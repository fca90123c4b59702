package io.reactorucx.benchmarks.rig.cases;

import java.util.Locale;

/**
 * The target of a case.
 *
 * @param kind the bounded value
 * @param bound the bound; for a plain figure in the unit of its metric
 * @param fastState whether it is for the fast state of the host alone
 */
public record Target(Kind kind, double bound, boolean fastState) {

    public Target(Kind kind, double bound) {
        this(kind, bound, false);
    }

    /** The figure that is compared, and the side of the bound on which it has to be. */
    public enum Kind {
        /** Ours divided by theirs, at most. */
        AT_MOST,
        /** Ours divided by theirs, at least. */
        AT_LEAST,
        /** Theirs divided by ours, at least. */
        FASTER,
        /** Ours alone, at most. */
        FIGURE_AT_MOST,
        /** Ours divided by theirs, for information. */
        NONE
    }

    public static Target atMost(double ratio) {
        return new Target(Kind.AT_MOST, ratio);
    }

    public static Target atLeast(double ratio) {
        return new Target(Kind.AT_LEAST, ratio);
    }

    public static Target faster(double times) {
        return new Target(Kind.FASTER, times);
    }

    public static Target figureAtMost(double figure) {
        return new Target(Kind.FIGURE_AT_MOST, figure);
    }

    public static Target none() {
        return new Target(Kind.NONE, 0);
    }

    /** {@return the same target for turns in the fast state of the host} */
    public Target inFastState() {
        return new Target(kind, bound, true);
    }

    /** {@return the value that is compared with the bound: ours for a contender alone} */
    public double ratio(double ours, double theirs, boolean alone) {
        return alone ? ours : switch (kind) {
            case AT_MOST, AT_LEAST, NONE -> ours / theirs;
            case FASTER -> theirs / ours;
            case FIGURE_AT_MOST -> ours;
        };
    }

    public boolean isMetBy(double ratio) {
        return switch (kind) {
            case AT_MOST, FIGURE_AT_MOST -> ratio <= bound;
            case AT_LEAST, FASTER -> ratio >= bound;
            case NONE -> true;
        };
    }

    public String text(Metric metric) {
        return textOfBound(metric) + (fastState ? " fast" : "");
    }

    private String textOfBound(Metric metric) {
        return switch (kind) {
            case AT_MOST -> String.format(Locale.ROOT, "<= %.2fx", bound);
            case AT_LEAST -> String.format(Locale.ROOT, ">= %.2fx", bound);
            case FASTER -> String.format(Locale.ROOT, ">= %.0fx faster", bound);
            case FIGURE_AT_MOST -> "<= " + metric.text(bound);
            case NONE -> "-";
        };
    }
}
