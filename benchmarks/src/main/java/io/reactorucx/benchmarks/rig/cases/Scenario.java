package io.reactorucx.benchmarks.rig.cases;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Lines of the table whose contenders are measured in turn, round by round.
 *
 * @param rows the lines
 */
public record Scenario(List<Row> rows) {

    public static Scenario of(Row... rows) {
        return new Scenario(List.of(rows));
    }

    /** {@return the same lines; those with a common contender are in one scenario, which measures it once a round} */
    public static List<Scenario> joined(List<Scenario> all) {
        List<Scenario> joined = new ArrayList<>();
        for (Scenario next : all) {
            int index = 0;
            while (index < joined.size() && Collections.disjoint(joined.get(index).contenders(), next.contenders())) {
                index++;
            }
            if (index == joined.size()) {
                joined.add(next);
            } else {
                joined.set(index, new Scenario(Stream.concat(joined.get(index).rows().stream(), next.rows().stream())
                        .toList()));
            }
        }
        return joined;
    }

    /**
     * Whether the contenders take turns: not those of one process, whose figures do not depend on the host's state, and
     * not those at a fixed rate, for which a stop would be an outage.
     */
    public boolean isByTurns() {
        return contenders().stream().allMatch(each -> each.isOfTwoProcesses() && !each.isAtFixedRate());
    }

    public Scenario only(Predicate<Row> wanted) {
        return new Scenario(rows.stream().filter(wanted).toList());
    }

    /** {@return each contender once, the two of a pair next to each other} */
    public Set<Contender> contenders() {
        Set<Contender> all = new LinkedHashSet<>();
        for (Row row : rows) {
            all.add(row.ours());
            if (row.theirs() != null) {
                all.add(row.theirs());
            }
        }
        return all;
    }
}
