package io.reactorucx.benchmarks.rig;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Lines of the table whose contenders are measured in turns: all of them, and again all of them.
 *
 * @param rows the lines
 */
record Scenario(List<Row> rows) {

    static Scenario of(Row... rows) {
        return new Scenario(List.of(rows));
    }

    Scenario only(Predicate<Row> wanted) {
        return new Scenario(rows.stream().filter(wanted).toList());
    }

    /** {@return each contender once, a pair side by side} */
    Set<Contender> contenders() {
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
