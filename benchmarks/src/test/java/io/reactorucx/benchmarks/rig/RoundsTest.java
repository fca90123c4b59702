package io.reactorucx.benchmarks.rig;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

class RoundsTest {

    private static final Contender OURS = Contender.ours("ours");
    private static final Contender THEIRS = Contender.peer("theirs", "peer");
    private static final Contender IDLE = new Contender("idle", Contender.Tool.IDLE, List.of(), null);

    /** Tells hops as they are given, the last one for ever, and numbers its measurements. */
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

    private static Rounds.Result measure(FakeGauge gauge, int rounds, int planned, Contender ours, Contender theirs)
            throws InterruptedException {
        Progress progress = new Progress(new PrintStream(OutputStream.nullOutputStream()), 2 * planned, 2.0 * planned);
        Row row = new Row("a-case", Metric.P50, ours, theirs, Target.atMost(2));
        return new Rounds(gauge, progress).measure(Scenario.of(row), rounds, planned);
    }

    private static List<Double> figures(Rounds.Result result, Contender contender) {
        return result.measurements().get(contender).stream().map(each -> each.figure(Metric.P50).orElse(-1)).toList();
    }

    @Test
    void takesTurnsOnASteadyMachine() throws InterruptedException {
        FakeGauge gauge = new FakeGauge(100.0, 140.0, 100.0);
        Rounds.Result result = measure(gauge, 2, 2, OURS, THEIRS);
        assertThat(gauge.measured).containsExactly("ours", "theirs", "ours", "theirs");
        assertThat(result.repeated()).isZero();
        assertThat(result.unsteady()).isZero();
        assertThat(result.hopNanos()).containsExactly(100.0, 100.0);
    }

    @Test
    void beginsARoundAnewAfterTheMachineHasChanged() throws InterruptedException {
        FakeGauge gauge = new FakeGauge(100.0, 100.0, 600.0, 600.0, 500.0, 600.0);
        Rounds.Result result = measure(gauge, 1, 1, OURS, THEIRS);
        assertThat(gauge.measured).containsExactly("ours", "theirs", "ours", "theirs");
        assertThat(figures(result, OURS)).containsExactly(3.0);
        assertThat(figures(result, THEIRS)).containsExactly(4.0);
        assertThat(result.repeated()).isOne();
        assertThat(result.unsteady()).isZero();
        assertThat(result.hopNanos()).containsExactly(600.0);
    }

    @Test
    void leavesTheRestOfARoundThatIsVoid() throws InterruptedException {
        FakeGauge gauge = new FakeGauge(600.0, 100.0, 100.0);
        assertThat(figures(measure(gauge, 1, 1, OURS, THEIRS), OURS)).containsExactly(2.0);
        assertThat(gauge.measured).containsExactly("ours", "ours", "theirs");
    }

    @Test
    void saysThatTheMachineWasNeverSteady() throws InterruptedException {
        FakeGauge gauge = new FakeGauge(1.0, 10.0, 1.0, 10.0, 1.0, 10.0, 1.0, 10.0, 1.0);
        Rounds.Result result = measure(gauge, 1, 1, OURS, THEIRS);
        assertThat(gauge.measured).containsExactly("ours", "ours", "ours", "ours", "theirs");
        assertThat(result.unsteady()).isOne();
        assertThat(result.repeated()).isEqualTo(3);
        assertThat(figures(result, THEIRS)).containsExactly(5.0);
    }

    @Test
    void measuresWithoutTheToolThatTellsTheSpeed() throws InterruptedException {
        Rounds.Result result = measure(new FakeGauge(Double.NaN), 1, 1, OURS, THEIRS);
        assertThat(figures(result, THEIRS)).containsExactly(2.0);
        assertThat(result.repeated() + result.unsteady()).isZero();
    }

    @Test
    void leavesOutWhoFailsTwiceAndRoundsForWhichThereIsNoTime() throws InterruptedException {
        FakeGauge gauge = new FakeGauge(1.0);
        Contender broken = Contender.peer("broken", "peer");
        Rounds.Result result = measure(gauge, 4, 5, OURS, broken);
        assertThat(gauge.measured).containsExactly("ours", "broken", "ours", "broken", "ours", "ours");
        assertThat(result.measurements().get(OURS)).hasSize(4);
        assertThat(result.measurements().get(broken)).allMatch(Measurement::hasFailed);
    }

    @Test
    void measuresRestOnce() throws InterruptedException {
        FakeGauge gauge = new FakeGauge(1.0);
        measure(gauge, 3, 3, OURS, IDLE);
        assertThat(gauge.measured).containsExactly("ours", "idle", "ours", "ours");
    }
}
