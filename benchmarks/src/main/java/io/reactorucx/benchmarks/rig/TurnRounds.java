package io.reactorucx.benchmarks.rig;

import io.reactorucx.benchmarks.process.Cpus;
import io.reactorucx.benchmarks.process.MeasurementFailure;
import io.reactorucx.benchmarks.rig.cases.Contender;
import io.reactorucx.benchmarks.rig.cases.Metric;
import io.reactorucx.benchmarks.rig.cases.Scenario;
import io.reactorucx.benchmarks.turns.Turn;
import io.reactorucx.benchmarks.turns.TurnTaking;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Measures the contenders of a scenario in turns: all are started and warmed up, then one at a time runs for a fifth of
 * a second while the others are stopped. So all see the same states of the host, which change by the second.
 */
final class TurnRounds {

    /** The turn of the gauge, in which two processes in C exchange messages; longer than the gap that is a stop. */
    private static final long GAUGE_NANOS = TimeUnit.MILLISECONDS.toNanos(60);
    private static final Contender GAUGE = Contender.perftest("hop", PerftestProcesses.HOP);

    private final Timing timing;
    private final Progress progress;
    private final Commands commands;
    private final PerftestProcesses inC;

    TurnRounds(Cpus cpus, Timing timing, List<String> jvmOptions, Progress progress) {
        this.timing = timing;
        this.progress = progress;
        this.commands = new Commands(cpus, timing, jvmOptions);
        this.inC = new PerftestProcesses(cpus, timing);
    }

    List<TurnRound> measure(Scenario scenario, int rounds, int planned) throws InterruptedException {
        List<TurnRound> all = new ArrayList<>();
        for (int number = 0; number < planned; number++) {
            if (number < rounds) {
                all.add(round(scenario, number + 1));
            } else {
                scenario.contenders().forEach(each -> progress.leaveOut(timing.estimateOf(each)));
            }
        }
        return all;
    }

    private TurnRound round(Scenario scenario, int number) throws InterruptedException {
        Map<Contender, Player> players = new LinkedHashMap<>();
        Map<Contender, Measurement> whole = new LinkedHashMap<>();
        int pairs = pairs(scenario);
        try {
            try {
                players.put(GAUGE, PerftestPlayer.start(PerftestProcesses.HOP, GAUGE_NANOS, pairs, inC));
            } catch (IOException | IllegalStateException | MeasurementFailure e) {
                whole.put(GAUGE, Measurement.failed(String.valueOf(e.getMessage())));
            }
            for (Contender contender : scenario.contenders()) {
                progress.begin(contender.name(), number);
                try {
                    players.put(contender, contender.perftest() == null
                            ? JavaPlayer.start(contender, commands, timing)
                            : PerftestPlayer.start(contender.perftest(), timing.turnNanos(), pairs, inC));
                } catch (IOException | IllegalStateException | MeasurementFailure e) {
                    whole.put(contender, Measurement.failed(String.valueOf(e.getMessage())));
                }
                progress.done(timing.estimateOf(contender));
            }
            int first = Math.max(Timing.firstTurns(), pairs);
            return play(players, whole, first);
        } finally {
            players.values().forEach(Player::close);
        }
    }

    /** {@return the pairs of processes of ucx_perftest, so that each waits for a second between its turns} */
    private int pairs(Scenario scenario) {
        double cycle = scenario.contenders().size() * timing.turnNanos() + GAUGE_NANOS;
        return (int) Math.ceil(PerftestPlayer.LINE_SECONDS * TimeUnit.SECONDS.toNanos(1) / cycle);
    }

    private TurnRound play(Map<Contender, Player> players, Map<Contender, Measurement> whole, int first)
            throws InterruptedException {
        if (players.isEmpty()) {
            return new TurnRound(Map.of(), whole, List.of());
        }
        Map<Player, List<Turn>> turns = TurnTaking.run(new ArrayList<>(players.values()), first + timing.turns());
        Map<Contender, List<Measurement>> figures = new LinkedHashMap<>();
        List<Double> hops = new ArrayList<>();
        for (Map.Entry<Contender, Player> each : players.entrySet()) {
            Player player = each.getValue();
            List<Turn> taken = turns.getOrDefault(player, List.of());
            player.finish(taken);
            List<Measurement> of = player.figures(taken);
            of = of.subList(Math.min(first, of.size()), of.size());
            if (each.getKey().equals(GAUGE)) {
                of.forEach(one -> hops.add(one.figure(Metric.P50).orElse(Double.NaN)));
            } else {
                figures.put(each.getKey(), of);
                whole.put(each.getKey(), player.whole());
            }
        }
        return new TurnRound(figures, whole, hops);
    }
}
