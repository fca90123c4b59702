package io.reactorucx.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.message.RequestStatistics.Outcome;
import io.reactorucx.message.RequestStatistics.Side;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Times of requests are counted by outcome, and percentiles are those of the last interval. */
class RequestTimesTest {

    private static final double TWO_DIGITS = 0.01;

    private final RequestTimes times = new RequestTimes(0);

    private void record(int count, long nanos, Outcome outcome) {
        for (int i = 0; i < count; i++) {
            times.record(Side.CLIENT, outcome, nanos);
        }
    }

    private void assertPercentile(double phi, double nanos) {
        assertThat(times.percentile(Side.CLIENT, phi)).isBetween(nanos * (1 - TWO_DIGITS), nanos * (1 + TWO_DIGITS));
    }

    @Test
    void countsAndSumsAreOfEachOutcome() {
        record(3, 1000, Outcome.SUCCESS);
        record(2, 50, Outcome.CANCELLED);
        times.record(Side.SERVER, Outcome.SUCCESS, 7);

        assertThat(times.count(Side.CLIENT, Outcome.SUCCESS)).isEqualTo(3);
        assertThat(times.nanos(Side.CLIENT, Outcome.SUCCESS)).isEqualTo(3000);
        assertThat(times.count(Side.CLIENT, Outcome.CANCELLED)).isEqualTo(2);
        assertThat(times.nanos(Side.CLIENT, Outcome.CANCELLED)).isEqualTo(100);
        assertThat(times.count(Side.CLIENT, Outcome.ERROR)).isZero();
        assertThat(times.count(Side.SERVER, Outcome.SUCCESS)).isEqualTo(1);
        assertThat(times.nanos(Side.SERVER, Outcome.SUCCESS)).isEqualTo(7);
    }

    @Test
    void percentilesAreOfTheLastIntervalAndWhateverTheOutcome() {
        record(98, 1_000_000, Outcome.SUCCESS);
        record(2, 50_000_000, Outcome.DEADLINE);
        assertPercentile(0.5, 1_000_000);

        record(50, 1000, Outcome.SUCCESS);
        record(50, 9000, Outcome.ERROR);
        assertPercentile(1, 9000);
        assertThat(times.percentile(Side.CLIENT, 0.5)).as("an interval without requests").isZero();
        assertThat(times.percentile(Side.SERVER, 0.5)).isZero();
    }

    @Test
    void percentilesOfOneReadingAreOfOneInterval() {
        RequestTimes slow = new RequestTimes(TimeUnit.DAYS.toNanos(1));
        slow.record(Side.CLIENT, Outcome.SUCCESS, 1000);

        assertThat(slow.percentile(Side.CLIENT, 1)).as("the interval has not ended").isZero();
    }

    @Test
    void timesBeyondTheHistogramAreItsLimits() {
        times.record(Side.CLIENT, Outcome.SUCCESS, TimeUnit.DAYS.toNanos(3));
        assertPercentile(1, TimeUnit.HOURS.toNanos(1));
        times.record(Side.CLIENT, Outcome.SUCCESS, -1);
        assertPercentile(1, 1);
    }
}
