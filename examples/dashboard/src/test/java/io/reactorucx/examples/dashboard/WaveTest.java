package io.reactorucx.examples.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class WaveTest {

    private static final int STEPS_A_SECOND = 100;
    private static final int PERIOD_SECONDS = 40;

    @Test
    void risesAndFallsAroundItsMean() {
        Wave wave = new Wave(400);
        int[] seconds = new int[PERIOD_SECONDS];
        LongStream.range(0, PERIOD_SECONDS * STEPS_A_SECOND)
                .forEach(step -> seconds[(int) step / STEPS_A_SECOND] += wave.countOf(step));

        assertThat(seconds[PERIOD_SECONDS / 4]).isBetween(595, 601);
        assertThat(seconds[PERIOD_SECONDS * 3 / 4]).isBetween(199, 205);
        assertThat(IntStream.of(seconds).sum()).isBetween(400 * PERIOD_SECONDS - 1, 400 * PERIOD_SECONDS + 1);
    }
}
