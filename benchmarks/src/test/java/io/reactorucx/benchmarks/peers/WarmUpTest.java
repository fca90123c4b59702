package io.reactorucx.benchmarks.peers;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.benchmarks.WarmUp;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class WarmUpTest {

    private static PeerOptions options(String warmupSeconds) {
        PeerOptions options = new PeerOptions();
        new CommandLine(options).parseArgs("--seconds", "0.001", "--warmup-seconds", warmupSeconds);
        return options;
    }

    private static List<Long> bursts(PeerOptions options) throws Exception {
        List<Long> bursts = new ArrayList<>();
        Figures figures = MessageStream.measure(options, end -> {
            bursts.add(10L + bursts.size());
            return bursts.getLast();
        });
        assertThat(figures.operations()).isEqualTo(bursts.getLast());
        return bursts;
    }

    @Test
    void aStreamHasABurstForEachPartAndOneThatCounts() throws Exception {
        assertThat(bursts(options("0.004"))).hasSize(WarmUp.PARTS + 1);
        assertThat(bursts(options("0"))).hasSize(1);
    }

    /** Number of round trips outside of the measurement. */
    private static long forgotten(PeerOptions options) {
        RoundTrips trips = new RoundTrips(options, true);
        long made = 1;
        for (trips.start(); trips.replied(); made++) {
            Thread.onSpinWait();
        }
        assertThat(trips.figures().operations()).isPositive();
        return made - trips.figures().operations();
    }

    @Test
    void roundTripsOfTheWarmUpDoNotCount() {
        assertThat(forgotten(options("0.004"))).isGreaterThanOrEqualTo(WarmUp.PARTS);
        assertThat(forgotten(options("0"))).isZero();
    }
}
