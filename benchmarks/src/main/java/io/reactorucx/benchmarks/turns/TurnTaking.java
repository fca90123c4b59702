package io.reactorucx.benchmarks.turns;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Lets programs run one at a time, each for the length of its turn, again and again. */
public final class TurnTaking {

    private TurnTaking() {
    }

    /**
     * Runs cycles, in each of which every program has one turn, in the same order: so each waits equally long between
     * its turns, and longer than {@link TurnRecorder} takes for a stop. All are stopped before and after.
     *
     * @param <C> the kind of the programs
     * @param all the programs
     * @param cycles number of turns of each
     * @return the turns of each program, by cycle
     * @throws InterruptedException when this thread is interrupted; the program whose turn it was is stopped then
     */
    public static <C extends Contestant> Map<C, List<Turn>> run(List<C> all, int cycles) throws InterruptedException {
        Map<C, List<Turn>> turns = new LinkedHashMap<>();
        all.forEach(each -> turns.put(each, new ArrayList<>()));
        for (int cycle = 0; cycle < cycles; cycle++) {
            for (C next : all) {
                turns.getOrDefault(next, new ArrayList<>()).add(turn(next, cycle));
            }
        }
        return turns;
    }

    private static Turn turn(Contestant contestant, int cycle) throws InterruptedException {
        contestant.resume(cycle);
        try {
            long begin = System.nanoTime();
            TimeUnit.NANOSECONDS.sleep(contestant.turnNanos());
            return new Turn(begin, System.nanoTime());
        } finally {
            contestant.stop(cycle);
        }
    }
}
