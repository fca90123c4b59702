package io.reactorucx.benchmarks.startup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactorucx.benchmarks.process.MeasurementFailure;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What becomes of the replies that a client counted. */
class StartTest {

    private static final long MILLI = 1_000_000;

    @Test
    void countsRepliesInIntervalsFromTheFirstOneOn() {
        ReplyCounts counts = new ReplyCounts(10, 3);
        for (long time : new long[] {1000, 1009, 1010, 1029, 1029}) {
            counts.add(time);
            assertThat(counts.isFull()).isFalse();
        }
        counts.add(1030);
        assertThat(counts.isFull()).isTrue();
        counts.add(1031);
        assertThat(counts.toLine()).isEqualTo("1000 10 2,1,2");
    }

    @Test
    void countsNothingInAnIntervalWithoutReplies() {
        ReplyCounts counts = new ReplyCounts(10, 4);
        counts.add(-5);
        counts.add(25);
        counts.add(1_000_000);
        assertThat(counts.isFull()).isTrue();
        assertThat(counts.toLine()).isEqualTo("-5 10 1,0,0,1");
    }

    @Test
    void takesTheMedianOfTheSecondHalfForTheSteadyRate() {
        long first = 700 * MILLI;
        Start start = Start.of(200 * MILLI, first + " " + 50 * MILLI + " 5,40,89,90,1000,100,90,110");
        assertThat(start.firstReplyMillis()).isEqualTo(500);
        assertThat(start.steadyRate()).isEqualTo(105 * 20.0);
        // 0.9 of 105 is 94.5, which the fifth interval reaches; it ends 250 ms after the first reply.
        assertThat(start.steadyMillis()).isEqualTo(750);
    }

    @Test
    void reachesTheSteadyRateWithExactlyItsShare() {
        Start start = Start.of(0, "0 " + 50 * MILLI + " 89,90,100,100");
        assertThat(start.steadyMillis()).isEqualTo(100);
    }

    @Test
    void saysThatTheRepliesStopped() {
        assertThatThrownBy(() -> Start.of(0, "0 50 5,5,0,0")).isInstanceOf(MeasurementFailure.class)
                .hasMessage("no replies in half of the later intervals");
    }

    @Test
    void showsMediansAndTheRatiosOfPairs() {
        List<Start> without = List.of(new Start(400, 1000, 50), new Start(200, 1000, 50), new Start(300, 2000, 50));
        List<Start> with = List.of(new Start(100, 500, 50), new Start(100, 400, 60), new Start(90, 400, 40));
        assertThat(StartupTable.of(without, with).lines()).containsExactly(
                "                      without cache               with cache                  ratio",
                "first response, ms    300 (200..400)              100 (90..100)               0.30 (0.25..0.50)",
                "90 % of the rate, ms  1000 (1000..2000)           400 (400..500)              0.40 (0.20..0.50)",
                "steady rate, 1/s      50 (50..50)                 50 (40..60)                 1.00 (0.80..1.20)");
    }
}
