package io.reactorucx.benchmarks.rig;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.reactorucx.benchmarks.rig.cases.Contender;
import io.reactorucx.benchmarks.rig.cases.Metric;
import io.reactorucx.benchmarks.rig.cases.Row;
import io.reactorucx.benchmarks.rig.cases.Scenario;
import io.reactorucx.benchmarks.rig.cases.Target;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class RoundsTest {

    private static final Contender OURS = Contender.ours("ours");
    private static final Contender THEIRS = Contender.peer("theirs", "peer");
    private static final Contender OTHERS = Contender.peer("others", "peer");
    private static final Contender IDLE = new Contender("idle", Contender.Tool.IDLE, List.of(), null);

    /** Returns the given hop times, then the last one repeatedly, and numbers its measurements. */
    private static final class FakeGauge implements Rounds.Gauge {

        private final Deque<Double> hops = new ArrayDeque<>();
        private final List<String> measured = new ArrayList<>();

        FakeGauge(Double... hops) {
            this.hops.addAll(Arrays.asList(hops));
        }

        @Override
        public Measurement measure(Contender contender) {
            measured.add(contender.name());
            if (contender.name().equals("broken")) {
                return Measurement.failed("broken");
            }
            JsonObject figures = new JsonObject();
            figures.addProperty("p50_ns", measured.size());
            return Measurement.of(figures);
        }

        @Override
        public double secondsOf(Contender contender) {
            return 1;
        }

        @Override
        public double hopNanos() {
            return hops.size() > 1 ? hops.removeFirst() : hops.getFirst();
        }
    }

    private static Row row(Contender theirs) {
        return new Row("a-case", Metric.P50, OURS, theirs, Target.atMost(2));
    }

    private static List<Round> measure(FakeGauge gauge, int rounds, int planned, Row... rows)
            throws InterruptedException {
        Progress progress = new Progress(new PrintStream(OutputStream.nullOutputStream()), 2 * planned, 2.0 * planned);
        return new Rounds(gauge, progress).measure(Scenario.of(rows), rounds, planned);
    }

    private static void pairs(List<Round> rounds, int number, Row row, double ours, double theirs, boolean steady) {
        Round.Pair pair = Objects.requireNonNull(rounds.get(number).pair(row));
        assertThat(pair.ours().figure(Metric.P50)).hasValue(ours);
        assertThat(pair.theirs().figure(Metric.P50)).hasValue(theirs);
        assertThat(pair.steady()).isEqualTo(steady);
    }

    @Test
    void takesTurnsOnASteadyMachine() throws InterruptedException {
        FakeGauge gauge = new FakeGauge(100.0, 140.0, 100.0);
        List<Round> rounds = measure(gauge, 2, 2, row(THEIRS));
        assertThat(gauge.measured).containsExactly("ours", "theirs", "ours", "theirs");
        pairs(rounds, 0, row(THEIRS), 1, 2, true);
        pairs(rounds, 1, row(THEIRS), 3, 4, true);
    }

    @Test
    void measuresTheFirstAgainWhenTheMachineHasChangedDuringIt() throws InterruptedException {
        FakeGauge gauge = new FakeGauge(100.0, 600.0, 600.0, 500.0);
        List<Round> rounds = measure(gauge, 1, 1, row(THEIRS));
        assertThat(gauge.measured).containsExactly("ours", "theirs", "ours");
        pairs(rounds, 0, row(THEIRS), 3, 2, true);
    }

    @Test
    void measuresTheSecondAgainWhenTheMachineHasChangedDuringIt() throws InterruptedException {
        FakeGauge gauge = new FakeGauge(100.0, 100.0, 600.0, 100.0, 100.0);
        List<Round> rounds = measure(gauge, 1, 1, row(THEIRS));
        // The machine becomes slow after the second measurement. Ours is repeated, is not steady either, and theirs is
        // then measured at the speed of the beginning.
        assertThat(gauge.measured).containsExactly("ours", "theirs", "ours", "theirs");
        pairs(rounds, 0, row(THEIRS), 1, 4, true);
    }

    @Test
    void measuresAgainOnlyWhatARowLacks() throws InterruptedException {
        FakeGauge gauge = new FakeGauge(100.0, 100.0, 100.0, 600.0, 100.0);
        List<Round> rounds = measure(gauge, 1, 1, row(THEIRS), row(OTHERS));
        assertThat(gauge.measured).startsWith("ours", "theirs", "others").hasSize(5);
        pairs(rounds, 0, row(THEIRS), 1, 2, true);
        pairs(rounds, 0, row(OTHERS), 1, 5, true);
    }

    @Test
    void saysThatTheMachineWasNeverSteady() throws InterruptedException {
        FakeGauge gauge = new FakeGauge(1.0, 10.0, 1.0, 10.0, 1.0, 10.0, 1.0);
        List<Round> rounds = measure(gauge, 1, 1, row(THEIRS));
        assertThat(gauge.measured).hasSize(4);
        assertThat(Objects.requireNonNull(rounds.getFirst().pair(row(THEIRS))).steady()).isFalse();
    }

    @Test
    void measuresWithoutTheToolThatTellsTheSpeed() throws InterruptedException {
        FakeGauge gauge = new FakeGauge(Double.NaN);
        pairs(measure(gauge, 1, 1, row(THEIRS)), 0, row(THEIRS), 1, 2, true);
        assertThat(gauge.measured).hasSize(2);
    }

    @Test
    void leavesOutWhoFailsTwiceAndRoundsForWhichThereIsNoTime() throws InterruptedException {
        FakeGauge gauge = new FakeGauge(1.0);
        Contender broken = Contender.peer("broken", "peer");
        List<Round> rounds = measure(gauge, 4, 5, row(broken));
        assertThat(gauge.measured).containsExactly("ours", "broken", "ours", "broken", "ours", "ours");
        assertThat(rounds).hasSize(4).allSatisfy(round ->
                assertThat(Objects.requireNonNull(round.pair(row(broken))).theirs().failure()).isEqualTo("broken"));
    }

    @Test
    void measuresRestOnce() throws InterruptedException {
        FakeGauge gauge = new FakeGauge(1.0);
        List<Round> rounds = measure(gauge, 3, 3, row(IDLE));
        assertThat(gauge.measured).containsExactly("ours", "idle", "ours", "ours");
        assertThat(rounds.get(1).pair(row(IDLE))).isNull();
    }
}
