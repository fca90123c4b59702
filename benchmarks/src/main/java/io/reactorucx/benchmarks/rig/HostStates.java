package io.reactorucx.benchmarks.rig;

import java.util.List;

/**
 * The states of the host, by the time of a message in C between the two processors. Virtual processors that the host
 * moves apart exchange a message several times as slowly, and there may be more than two such states.
 */
final class HostStates {

    /** The state changed between the begin and the end of a cycle, or is unknown. */
    static final int CHANGING = -1;
    /** The state of the fastest messages of a run. Those of state n take about 2 to the power of n times as long. */
    static final int FAST = 0;

    private final boolean given;
    private double fastest;

    /** @param longest the longest hop of the fast state in nanoseconds; 0 to take it from the fastest hop of the run */
    HostStates(double longest) {
        given = longest > 0;
        fastest = given ? longest / Math.sqrt(2) : Double.POSITIVE_INFINITY;
    }

    /** Takes the hops of a round into account. A single one, which may be an accident, does not count. */
    void learn(List<Double> hops) {
        List<Double> sorted = hops.stream().filter(hop -> !Double.isNaN(hop)).sorted().toList();
        if (!given && sorted.size() > 1) {
            fastest = Math.min(fastest, sorted.get(1));
        }
    }

    /** {@return the state of a cycle with these hops at its begin and at its end} */
    int of(double before, double after) {
        int state = level(before);
        return state == level(after) ? state : CHANGING;
    }

    private int level(double hop) {
        return Double.isNaN(hop) || Double.isInfinite(fastest) ? CHANGING
                : (int) Math.max(FAST, Math.round(Math.log(hop / fastest) / Math.log(2)));
    }

    /** {@return the name of a state for tables} */
    static String name(int state) {
        return state == CHANGING ? "changing" : state == FAST ? "fast" : "slow x" + (1 << Math.min(state, 30));
    }
}
