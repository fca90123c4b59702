package io.reactorucx.stress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.Ucx;
import io.reactorucx.testsupport.NoLeaks;
import java.io.IOException;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Clients are killed, stopped, closed by force and given up, and strangers connect to each port, while checked traffic
 * runs: the server lives, loses and doubles nothing, serves an honest client, and holds no more than before. A few
 * actions here, and {@code ./run stress chaos} for as long as wanted.
 */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class ChaosTest {

    private static final int SHORT_ACTIONS = 6;

    @BeforeEach
    void assumeUcx() {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
    }

    private static Stream<String> transports() {
        return StressRun.transports();
    }

    @ParameterizedTest
    @MethodSource("transports")
    void serverLivesAndServes(String transports) throws IOException {
        try (Chaos chaos = new Chaos(transports, StressRun.seed(1), Chaos.folder())) {
            assertThat(chaos.plantedLoss()).contains("an honest client got 39 of 40 responses");
            long end = System.nanoTime() + Duration.ofSeconds(StressRun.SECONDS / transports().count()).toNanos();
            for (int i = 0; (i < SHORT_ACTIONS || System.nanoTime() - end < 0) && chaos.faults().isEmpty(); i++) {
                chaos.act();
            }
            String summary = chaos.end();

            assertThat(chaos.faults()).as(chaos.report()).isEmpty();
            System.out.println("CHAOS over " + transports + ": " + summary);
        }
    }
}
