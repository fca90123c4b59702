package io.reactorucx.benchmarks.rig;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Measures the contenders of a scenario, round by round, and some of them once more where the machine has changed
 * meanwhile.
 */
final class Rounds {

    private static final int TRIES = 2;

    private final Gauge gauge;
    private final Progress progress;

    Rounds(Gauge gauge, Progress progress) {
        this.gauge = gauge;
        this.progress = progress;
    }

    /** What measures. */
    interface Gauge {

        Measurement measure(Contender contender) throws InterruptedException;

        /** {@return how long that probably takes} */
        double secondsOf(Contender contender);

        /**
         * {@return what a message between the two processors takes in C in nanoseconds, NaN where that is not known}
         */
        double hopNanos() throws InterruptedException;
    }

    /**
     * All rounds of a scenario. Who fails twice is not tried again.
     *
     * @param rounds how many rounds there are
     * @param planned how many there were to be: the rest is left out
     */
    List<Round> measure(Scenario scenario, int rounds, int planned) throws InterruptedException {
        List<Round> all = new ArrayList<>();
        for (int number = 0; number < planned; number++) {
            Round round = new Round();
            Deque<Contender> due = new ArrayDeque<>();
            for (Contender contender : scenario.contenders()) {
                List<Measurement> failures = all.stream().flatMap(each -> each.taken()
                        .getOrDefault(contender, List.of()).stream()).map(Round.Taken::measurement)
                        .filter(Measurement::hasFailed).toList();
                if (number >= Timing.roundsOf(contender, planned)) {
                    continue;
                }
                if (failures.size() < TRIES && number < rounds) {
                    due.add(contender);
                } else {
                    progress.leaveOut(gauge.secondsOf(contender));
                    if (number < rounds) {
                        round.add(contender, new Round.Taken(failures.getLast(), Double.NaN, Double.NaN));
                    }
                }
            }
            if (!due.isEmpty()) {
                fill(round, scenario, due, number + 1);
            }
            if (number < rounds) {
                all.add(round);
            }
        }
        return all;
    }

    /** Each once; then, as often again at most, those that a row lacks. */
    private void fill(Round round, Scenario scenario, Deque<Contender> due, int number) throws InterruptedException {
        boolean watched = due.stream().anyMatch(Contender::isOfTwoProcesses);
        int spare = due.size();
        double hop = watched ? gauge.hopNanos() : Double.NaN;
        @Nullable Contender next = due.poll();
        while (next != null) {
            progress.begin(next.name(), number);
            Measurement measurement = gauge.measure(next);
            progress.done(gauge.secondsOf(next));
            double before = hop;
            hop = watched ? gauge.hopNanos() : Double.NaN;
            round.add(next, new Round.Taken(measurement, before, hop));
            next = due.poll();
            if (next == null && spare > 0) {
                spare--;
                next = round.missing(scenario, hop);
                if (next != null) {
                    progress.again(gauge.secondsOf(next));
                }
            }
        }
    }
}
