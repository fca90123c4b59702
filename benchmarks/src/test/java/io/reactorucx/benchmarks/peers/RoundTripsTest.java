package io.reactorucx.benchmarks.peers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;

/** Round trips at a fixed rate, of which the first takes twenty intervals. */
@Timeout(300)
class RoundTripsTest {

    private static final int LATE_MILLIS = 20;
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    private static RoundTrips atThousandASecond() {
        PeerOptions options = new PeerOptions();
        new CommandLine(options).parseArgs("--seconds", "0.06", "--warmup-seconds", "0", "--rate", "1000");
        return new RoundTrips(options, false);
    }

    private static void stall() {
        long end = System.nanoTime() + LATE_MILLIS * MILLI;
        while (System.nanoTime() - end < 0) {
            Thread.onSpinWait();
        }
    }

    /** Those that were due during the stall are late as well: the n-th by what was left of it. */
    private static void hasTheDelaysOfAll(RoundTrips trips) {
        Histogram times = trips.figures().histogram();
        for (int late = 1; late < LATE_MILLIS; late++) {
            assertThat(times.getCountBetweenValues(late * MILLI, Long.MAX_VALUE / 2)).as("later than %d ms", late)
                    .isGreaterThanOrEqualTo(LATE_MILLIS - late);
        }
    }

    @Test
    void aLoopTimesFromTheIntendedStart() {
        RoundTrips trips = atThousandASecond();
        trips.start();
        stall();
        while (trips.replied()) {
            Thread.onSpinWait();
        }
        hasTheDelaysOfAll(trips);
    }

    @Test
    void aThreadOfItsOwnTimesFromTheIntendedStart() throws Exception {
        RoundTrips trips = atThousandASecond();
        CompletableFuture<Void> done = new CompletableFuture<>();
        AtomicInteger sent = new AtomicInteger(1);
        trips.start();
        stall();
        next(trips, sent, done);
        done.get();

        hasTheDelaysOfAll(trips);
        assertThat(trips.figures().operations()).isEqualTo(sent.get());
    }

    private static void next(RoundTrips trips, AtomicInteger sent, CompletableFuture<Void> done) {
        trips.replied(() -> {
            sent.incrementAndGet();
            next(trips, sent, done);
        }, () -> done.complete(null));
    }
}
