package io.reactorucx.benchmarks.rig;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.reactorucx.benchmarks.rig.cases.Contender;
import io.reactorucx.benchmarks.rig.cases.Metric;
import io.reactorucx.benchmarks.rig.cases.Row;
import io.reactorucx.benchmarks.rig.cases.Target;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ComparisonTest {

    private static final Contender OURS = Contender.ours("ours");
    private static final Contender THEIRS = Contender.peer("theirs", "peer");

    private static Row row(Target target, @Nullable Contender theirs) {
        return new Row("a-case", Metric.P50, OURS, theirs, target);
    }

    private static List<Measurement> latencies(double... nanos) {
        return Arrays.stream(nanos).mapToObj(value -> {
            JsonObject figures = new JsonObject();
            figures.addProperty("p50_ns", value);
            return Measurement.of(figures);
        }).toList();
    }

    private static String printed(Comparison comparison) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new Table(new PrintStream(bytes, true, StandardCharsets.UTF_8)).line(comparison, "4+4", 0);
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @Test
    void takesTheMedianOfTheRatiosOfTheRounds() {
        Comparison comparison = Comparison.of(row(Target.atMost(2), THEIRS), latencies(100, 400, 90),
                latencies(50, 100, 100));
        assertThat(comparison.ratios()).containsExactly(2.0, 4.0, 0.9);
        assertThat(comparison.ratio()).isEqualTo(2);
        assertThat(comparison.lowest()).isEqualTo(0.9);
        assertThat(comparison.highest()).isEqualTo(4);
        assertThat(comparison.ours()).isEqualTo(100);
        assertThat(comparison.theirs()).isEqualTo(100);
        assertThat(comparison.isMet()).isTrue();
        assertThat(printed(comparison)).contains("a-case").contains("100 ns").contains("2.00x")
                .contains("0.90x .. 4.00x").contains("yes");
    }

    @Test
    void isFasterByTheirTimeDividedByOurs() {
        assertThat(Comparison.of(row(Target.faster(4), THEIRS), latencies(100), latencies(500)).isMet()).isTrue();
        assertThat(Comparison.of(row(Target.faster(4), THEIRS), latencies(100), latencies(300)).isMet()).isFalse();
    }

    @Test
    void comparesAFigureWithoutAnybodyElse() {
        Comparison comparison = Comparison.of(row(Target.figureAtMost(150), null), latencies(100, 200), List.of());
        assertThat(comparison.ratio()).isEqualTo(150);
        assertThat(comparison.isMet()).isTrue();
        assertThat(comparison.theirs()).isNaN();
    }

    @Test
    void isNotMetWhenNothingWasMeasuredAndSaysWhy() {
        List<Measurement> failed = List.of(Measurement.failed("the server was not ready within 30 s"));
        Comparison comparison = Comparison.of(row(Target.atMost(2), THEIRS), latencies(100), failed);
        assertThat(comparison.isMeasured()).isFalse();
        assertThat(comparison.isMet()).isFalse();
        assertThat(printed(comparison)).contains("no: not measured, theirs: the server was not ready within 30 s");
    }

    @Test
    void leavesARoundOutWhoseFigureIsMissing() {
        List<Measurement> theirs = List.of(Measurement.of(new JsonObject()), latencies(100).getFirst());
        Comparison comparison = Comparison.of(row(Target.atMost(2), THEIRS), latencies(100, 300), theirs);
        assertThat(comparison.ratios()).containsExactly(3.0);
        assertThat(comparison.isMet()).isFalse();
        assertThat(printed(comparison)).contains("only 1 rounds: theirs: no p50_ns in what it printed");
    }

    @Test
    void hasNoMedianOfNothing() {
        assertThat(Comparison.median(List.of())).isNaN();
        assertThat(Comparison.median(List.of(3.0, 1.0))).isEqualTo(2);
    }

    private static TurnRound round(List<Measurement> ours, List<Measurement> theirs, Double... hops) {
        return new TurnRound(Map.of(OURS, ours, THEIRS, theirs), Map.of(OURS, Measurement.failed("ours ended"), THEIRS,
                Measurement.failed("theirs ended")), List.of(hops));
    }

    @Test
    void comparesTheTurnsOfACycleByTheStateOfTheHost() {
        HostStates host = new HostStates(200);
        List<TurnRound> rounds = List.of(round(latencies(150, 150, 900), latencies(100, 50, 450), 100.0, 100.0, 700.0),
                round(latencies(130, 600), latencies(100, 400), 100.0, 700.0));
        Comparison comparison = Comparison.ofTurns(row(Target.atMost(1.6), THEIRS), rounds, host);

        assertThat(comparison.ratios()).containsExactly(2.0, 1.4);
        assertThat(comparison.states().get(HostStates.FAST).turns()).isEqualTo(1);
        assertThat(comparison.states().get(HostStates.FAST).median()).isEqualTo(1.5);
        assertThat(comparison.states().get(HostStates.CHANGING).turns()).isEqualTo(2);
        assertThat(comparison.states().get(2).turns()).isEqualTo(2);
        assertThat(comparison.isMet()).isFalse();
        assertThat(Comparison.ofTurns(row(Target.atMost(1.6).inFastState(), THEIRS), rounds, host).isMet()).isTrue();
        assertThat(printed(comparison)).contains("fast").contains("1 turns, hop 100 ns")
                .contains("150 ns / 100 ns = 1.50x").contains("slow x4").contains("changing");
    }

    @Test
    void aTargetOfTheFastStateIsNotMetWithoutATurnInIt() {
        List<TurnRound> rounds = List.of(round(latencies(100), latencies(100), 700.0));
        Comparison comparison = Comparison.ofTurns(row(Target.atMost(2).inFastState(), THEIRS), rounds,
                new HostStates(200));

        assertThat(comparison.isMeasured()).isTrue();
        assertThat(comparison.isMet()).isFalse();
        assertThat(printed(comparison)).contains("NO turn in the fast state");
    }

    @Test
    void saysWhyThereIsNoPairOfTurns() {
        Comparison comparison = Comparison.ofTurns(row(Target.atMost(2), THEIRS), List.of(round(List.of(), List.of())),
                new HostStates(200));

        assertThat(comparison.isMeasured()).isFalse();
        assertThat(comparison.failure()).isEqualTo("ours: ours ended");
    }
}
