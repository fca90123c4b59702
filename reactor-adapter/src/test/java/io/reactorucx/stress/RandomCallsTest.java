package io.reactorucx.stress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.Ucx;
import io.reactorucx.testsupport.NoLeaks;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random calls of the public API, right and wrong, with closes in the middle: nothing is lost, doubled, altered or left
 * behind, and the process lives. A few seconds here, and {@code ./run stress calls} for as long as wanted.
 */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class RandomCallsTest {

    private static final long SHORT_SEED = 4;
    private static final long PLANTED_SEED = 2;

    @BeforeEach
    void assumeUcx() {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
    }

    private static Stream<String> transports() {
        return StressRun.transports();
    }

    /** Three parts of the time of one choice of transports are for the adapter, and one for the core. */
    private static long share() {
        return StressRun.SECONDS / transports().count() / 4;
    }

    @ParameterizedTest
    @MethodSource("transports")
    void noCallOfTheAdapterDoesHarm(String transports) {
        assertHarmless(transports, 3 * share(), "adapter");
    }

    @ParameterizedTest
    @MethodSource("transports")
    void noCallOfTheCoreDoesHarm(String transports) {
        assertHarmless(transports, share(), "core", "-D" + RandomCalls.CORE + "=true");
    }

    private static void assertHarmless(String transports, long seconds, String module, String... options) {
        List<String> all = new ArrayList<>(List.of(options));
        all.addAll(List.of("-D" + RandomCalls.TRANSPORTS + "=" + transports,
                "-D" + RandomCalls.SECONDS + "=" + seconds));
        StressRun run = StressRun.of(RandomCalls.class, StressRun.seed(SHORT_SEED), all.toArray(String[]::new));

        assertThat(run.exitCode()).as(run.report()).isZero();
        run.output().lines().filter(line -> line.startsWith("seed ")).forEach(line ->
                System.out.println("CALLS over " + transports + ", " + module + ": " + line));
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
        return StressRun.of(RandomCalls.class, PLANTED_SEED, "-D" + RandomCalls.TRANSPORTS + "=posix",
                "-D" + RandomCalls.SECONDS + "=0", "-D" + RandomCalls.PLANT + "=" + plant);
    }
}
