package io.reactorucx.benchmarks.rig;

import org.jspecify.annotations.Nullable;

/**
 * A line of the table.
 *
 * @param name for {@code --case}
 * @param metric what is compared
 * @param ours what is measured
 * @param theirs what it is compared with; null when the figure alone counts
 * @param target what is to be reached
 */
record Row(String name, Metric metric, Contender ours, @Nullable Contender theirs, Target target) {
}
