package io.reactorucx.benchmarks.rig;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Measures the contenders of a scenario, round by round.
 *
 * <p>A host may move a virtual machine's processors, after which a message between them takes several times as long, for seconds or
 * minutes. What was measured before cannot be held against what is measured after: such a round begins anew.
 */
final class Rounds {

    private static final int TRIES = 2;
    private static final int REPEATS = 3;
    private static final double STEADY = 1.5;

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

        /** {@return what a message between the two processors takes in C, NaN where that is not known} */
        double hopNanos() throws InterruptedException;
    }

    /**
     * All rounds of a scenario.
     *
     * @param measurements of each contender, one for each round
     * @param hopNanos what a message took in C in each round; NaN where that does not matter or is not known
     * @param unsteady how many rounds stand although the machine changed in each attempt
     * @param repeated how often a round was begun anew
     */
    record Result(Map<Contender, List<Measurement>> measurements, List<Double> hopNanos, int unsteady, int repeated) {
    }

    private record Round(Map<Contender, Measurement> measurements, double hopNanos, boolean steady) {
    }

    /**
     * Measures; who fails twice is not tried again.
     *
     * @param rounds how many rounds there are
     * @param planned how many there were to be: the rest is left out
     */
    Result measure(Scenario scenario, int rounds, int planned) throws InterruptedException {
        Map<Contender, List<Measurement>> all = new LinkedHashMap<>();
        List<Double> hops = new ArrayList<>();
        int unsteady = 0;
        int repeated = 0;
        for (int number = 0; number < planned; number++) {
            List<Contender> contenders = new ArrayList<>();
            for (Contender contender : scenario.contenders()) {
                List<Measurement> before = all.computeIfAbsent(contender, added -> new ArrayList<>());
                boolean hopeless = before.stream().filter(Measurement::hasFailed).count() >= TRIES;
                if (number >= Timing.roundsOf(contender, planned)) {
                    continue;
                }
                if (hopeless) {
                    before.add(before.getLast());
                }
                if (hopeless || number >= rounds) {
                    progress.leaveOut(gauge.secondsOf(contender));
                } else {
                    contenders.add(contender);
                }
            }
            if (contenders.isEmpty()) {
                continue;
            }
            Round round = attempt(contenders, number, false);
            for (int again = 1; again <= REPEATS && !round.steady(); again++) {
                repeated++;
                progress.again(round.measurements().keySet().stream().mapToDouble(gauge::secondsOf).sum(), round.measurements().size());
                round = attempt(contenders, number, again == REPEATS);
            }
            round.measurements().forEach((contender, one) -> all.computeIfAbsent(contender, added -> new ArrayList<>()).add(one));
            hops.add(round.hopNanos());
            unsteady += round.steady() ? 0 : 1;
        }
        return new Result(all, hops, unsteady, repeated);
    }

    /** Measures each once, unless {@code last} only up to the first after which the machine is another one. */
    private Round attempt(List<Contender> contenders, int number, boolean last) throws InterruptedException {
        boolean sensitive = contenders.stream().anyMatch(Contender::isOfTwoProcesses);
        double hop = sensitive ? gauge.hopNanos() : Double.NaN;
        Map<Contender, Measurement> measurements = new LinkedHashMap<>();
        boolean steady = true;
        for (Contender contender : contenders) {
            if (steady || last) {
                progress.begin(contender.name(), number + 1);
                measurements.put(contender, gauge.measure(contender));
                progress.done(gauge.secondsOf(contender));
                double now = sensitive ? gauge.hopNanos() : Double.NaN;
                steady &= Double.isNaN(now) || Math.max(hop, now) <= STEADY * Math.min(hop, now);
            }
        }
        return new Round(measurements, hop, steady);
    }
}
