package io.reactorucx.examples.store.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The times of kills, in seconds here. */
class KillTimesTest {

    private static final long START = Long.MAX_VALUE - 5; // nano time may pass over the largest number

    private static LongStream kills(long duration, long interval, long busyFrom, long busyTo) {
        KillTimes times = new KillTimes(START, duration, interval);
        return LongStream.range(0, 2 * duration).filter(second -> (second < busyFrom || second >= busyTo)
                && times.isDue(START + second));
    }

    @Test
    void fiveMinutesHaveFifteenKillsAtAnIntervalOfTwentySeconds() {
        assertThat(kills(300, 20, 0, 0)).hasSize(15).startsWith(10L, 30L, 50L).endsWith(290L);
    }

    @Test
    void aKillThatComesLateDoesNotPutOffTheNext() {
        assertThat(kills(300, 20, 25, 44)).hasSize(15).startsWith(10L, 44L, 50L, 70L);
    }

    @Test
    void aShortLoadHasOneAfterAThird() {
        assertThat(kills(6, 20, 0, 0)).containsExactly(2L);
    }

    @Test
    void noneIsDueAfterTheEnd() {
        assertThat(kills(30, 20, 25, 40)).containsExactly(10L);
    }
}
