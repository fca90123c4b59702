package io.reactorucx.benchmarks.rig;

import io.reactorucx.benchmarks.rig.cases.Contender;
import java.util.List;
import java.util.Map;

/**
 * A round in turns.
 *
 * @param turns the figures of each contender, by cycle
 * @param whole what was measured of each contender over all turns, or why it was not
 * @param hops the time of a message in C at the begin of each cycle in nanoseconds; NaN when unknown
 */
record TurnRound(Map<Contender, List<Measurement>> turns, Map<Contender, Measurement> whole, List<Double> hops) {

    TurnRound {
        hops = List.copyOf(hops);
    }

    List<Measurement> of(Contender contender) {
        return turns.getOrDefault(contender, List.of());
    }

    Measurement wholeOf(Contender contender) {
        return whole.getOrDefault(contender, Measurement.failed("not measured"));
    }

    /** {@return the time of a message in C at the begin of a cycle} */
    double hop(int cycle) {
        return cycle < hops.size() ? hops.get(cycle) : Double.NaN;
    }

    /** {@return the same at the end of a cycle, which is the begin of the next one; at the last cycle, its begin} */
    double hopAfter(int cycle) {
        return hop(Math.min(cycle + 1, hops.size() - 1));
    }
}
