package io.reactorucx.benchmarks.rig.cases;

import org.jspecify.annotations.Nullable;

/**
 * A line of the table.
 *
 * @param name for {@code --case}
 * @param metric the compared figure
 * @param ours the measured contender
 * @param theirs the contender to compare with; null when the figure itself has a target
 * @param target the target
 */
public record Row(String name, Metric metric, Contender ours, @Nullable Contender theirs, Target target) {
}
