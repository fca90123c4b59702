package io.reactorucx.benchmarks.rig;

import io.reactorucx.benchmarks.rig.cases.Contender;
import io.reactorucx.benchmarks.rig.cases.Scenario;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Measures the contenders of a scenario round by round, and some of them again after a change of the machine. */
final class Rounds {

    private static final int TRIES = 2;

    private final Gauge gauge;
    private final Progress progress;

    Rounds(Gauge gauge, Progress progress) {
        this.gauge = gauge;
        this.progress = progress;
    }

    /** Makes the measurements. */
    interface Gauge {

        Measurement measure(Contender contender) throws InterruptedException;

        /** {@return the probable duration in seconds} */
        double secondsOf(Contender contender);

        /** {@return the time of a message between the two processors in C in nanoseconds; NaN when unknown} */
        double hopNanos() throws InterruptedException;
    }

    /**
     * Measures all rounds of a scenario. A contender that fails twice is not measured again.
     *
     * @param rounds number of rounds
     * @param planned number of planned rounds; the remaining ones are left out
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

    /** Measures each contender once, then repeats what rows lack, at most as often again. */
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
