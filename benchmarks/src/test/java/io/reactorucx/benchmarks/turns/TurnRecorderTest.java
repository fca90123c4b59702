package io.reactorucx.benchmarks.turns;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A recorder with a clock of the test. */
class TurnRecorderTest {

    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long SETTLED = TurnRecorder.SETTLE_MILLIS * MILLI;

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final TurnRecorder recorder = new TurnRecorder(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    private long now;

    /** One operation after the other, each of this length. */
    private void operations(int count, long nanos) {
        for (int i = 0; i < count; i++) {
            now += nanos;
            recorder.operation(now - nanos, now);
        }
    }

    /** The numbers of each turn: begin, end, operations, median, 99th percentile, mean. */
    private List<long[]> turns() {
        return bytes.toString(StandardCharsets.UTF_8).lines().filter(line -> line.startsWith(TurnRecorder.TURN))
                .map(line -> Arrays.stream(line.substring(TurnRecorder.TURN.length()).split(" "))
                .mapToLong(Long::parseLong).toArray()).toList();
    }

    @Test
    void leavesOutTheOperationThatWasUnderWayDuringAStop() {
        recorder.start(0);
        now = SETTLED;
        operations(1000, 1000);
        long end = now;
        operations(1, 200 * MILLI);
        now += SETTLED;
        operations(500, 2000);
        recorder.endTurn();

        assertThat(turns()).hasSize(2);
        assertThat(turns().get(0)).startsWith(SETTLED, end, 1000, 1000, 1000, 1000);
        assertThat(turns().get(1)[2]).isEqualTo(500);
        assertThat(turns().get(1)[5]).as("mean").isEqualTo(2000);
        assertThat(turns().get(1)[0]).as("begin").isEqualTo(end + 200 * MILLI + SETTLED);
    }

    @Test
    void leavesOutTheFirstMillisecondsOfATurn() {
        recorder.start(0);
        operations(5, MILLI);
        operations(10, 1000);
        recorder.endTurn();

        assertThat(turns()).hasSize(1);
        assertThat(turns().getFirst()[2]).isEqualTo(10);
    }

    @Test
    void keepsASlowOperationThatIsNoStop() {
        recorder.start(0);
        now = SETTLED;
        operations(98, 1000);
        operations(2, TurnRecorder.GAP_MILLIS * MILLI);
        recorder.endTurn();

        assertThat(turns()).hasSize(1);
        assertThat(turns().getFirst()[2]).isEqualTo(100);
        assertThat(turns().getFirst()[4]).as("99th percentile").isGreaterThanOrEqualTo(49 * MILLI);
    }

    @Test
    void countsOnlyWhatEndedBetweenTwoReadingsOfTheClockInATurn() {
        recorder.start(0);
        for (now = MILLI; now <= 100 * MILLI; now += MILLI) {
            recorder.operations(64, now);
        }
        recorder.operations(64, now + 300 * MILLI);
        recorder.endTurn();

        assertThat(turns()).hasSize(1);
        long[] turn = turns().getFirst();
        assertThat(turn[1]).isEqualTo(100 * MILLI);
        assertThat(turn[2] * (double) MILLI / (turn[1] - turn[0])).as("messages in a ms").isEqualTo(64);
        assertThat(turn[3]).as("not timed").isZero();
    }

    @Test
    void printsNothingOfATurnWithoutOperations() {
        recorder.start(0);
        recorder.operation(0, 100 * MILLI);
        recorder.operation(100 * MILLI, 300 * MILLI);
        recorder.endTurn();

        assertThat(turns()).isEmpty();
        assertThat(bytes.toString(StandardCharsets.UTF_8)).contains(TurnRecorder.STARTED);
    }
}
