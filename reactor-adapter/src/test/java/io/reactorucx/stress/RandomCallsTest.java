package io.reactorucx.stress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.Ucx;
import io.reactorucx.testsupport.NoLeaks;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random calls of the public API, right and wrong, with closes in the middle: nothing is lost, doubled, altered or left
 * behind, and the process lives. A few seconds here, and {@code ./run stress calls} for as long as wanted.
 */
@ExtendWith(NoLeaks.class)
class RandomCallsTest {

    private static final long SHORT_SECONDS = 3;
    private static final long SHORT_SEED = 2;

    @BeforeEach
    void assumeUcx() {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
    }

    private static Stream<String> transports() {
        return StressRun.TRANSPORTS.isEmpty() ? Stream.of("posix", "default") : Stream.of(StressRun.TRANSPORTS);
    }

    private static long seed() {
        if (StressRun.SEED != 0) {
            return StressRun.SEED;
        }
        return StressRun.SECONDS == 0 ? SHORT_SEED : System.nanoTime() & 0xFFFFFFFL;
    }

    private static long seconds() {
        long all = StressRun.SECONDS == 0 ? SHORT_SECONDS : StressRun.SECONDS;
        return Math.max(1, all / transports().count());
    }

    @ParameterizedTest
    @MethodSource("transports")
    void noCallDoesHarm(String transports) {
        StressRun run = StressRun.of(RandomCalls.class, seed(), "-D" + RandomCalls.TRANSPORTS + "=" + transports,
                "-D" + RandomCalls.SECONDS + "=" + seconds());

        assertThat(run.exitCode()).as(run.report()).isZero();
        run.output().lines().filter(line -> line.startsWith("seed ")).forEach(line ->
                System.out.println("CALLS over " + transports + ": " + line));
    }

    @Test
    void plantedFaultsAreFound() {
        StressRun run = planted(Round.Plant.FAULTS);

        assertThat(run.exitCode()).as(run.report()).isEqualTo(1);
        assertThat(run.report()).contains("seed 2,", "FAULT 0 wrong: is wrong, and ended well", " is lost",
                "leases are left", "calls have not ended: [0 never", "FAULT an error was dropped");
    }

    @Test
    void processThatIsAbortedIsReportedWithItsLastCalls() {
        StressRun run = planted(Round.Plant.ABORT);

        assertThat(run.exitCode()).as(run.report()).isEqualTo(134);
        assertThat(run.report()).contains("seed 2,", "exit code 134", "\n30 ");
    }

    private static StressRun planted(Round.Plant plant) {
        return StressRun.of(RandomCalls.class, SHORT_SEED, "-D" + RandomCalls.TRANSPORTS + "=posix",
                "-D" + RandomCalls.SECONDS + "=0", "-D" + RandomCalls.PLANT + "=" + plant);
    }
}
