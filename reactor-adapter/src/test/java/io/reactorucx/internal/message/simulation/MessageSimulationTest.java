package io.reactorucx.internal.message.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.Ucx;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.transport.connection.ConnectionPhase;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Messages and requests over a simulated carrier: nothing is wrong in any seed, unless the carrier is. The property
 * {@code io.reactorucx.test.seeds} is the number of seeds, and {@code io.reactorucx.test.seed} a single one to replay.
 */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class MessageSimulationTest {

    private static final Logger LOG = LoggerFactory.getLogger(MessageSimulationTest.class);
    private static final int SEEDS = Integer.getInteger("io.reactorucx.test.seeds", 1_000);
    private static final int SEEDS_OF_A_FAULT = 300;
    private static final int ENOUGH_SEEDS = 500;
    private static final int SHOWN = 3;
    /** The others last for a part of a step, or belong to raw peers, to rejected ones, and to error mode NONE. */
    private static final Set<ConnectionPhase> LASTING_PHASES = EnumSet.of(ConnectionPhase.CONNECTING,
            ConnectionPhase.WIRING, ConnectionPhase.ABANDONED, ConnectionPhase.CONNECTED, ConnectionPhase.DRAINING,
            ConnectionPhase.FIN_SENT, ConnectionPhase.FIN_ACKNOWLEDGED, ConnectionPhase.LEAVING,
            ConnectionPhase.RELEASING, ConnectionPhase.CLOSING_ENDPOINT,
            ConnectionPhase.CLOSED);
    private static final Set<ConnectionPhase> PHASES = EnumSet.noneOf(ConnectionPhase.class);

    private static SimulatedPools pools;
    private static long ringRecords;

    @BeforeAll
    static void open() {
        assumeTrue(Ucx.isAvailable());
        pools = new SimulatedPools();
    }

    @AfterAll
    static void close() {
        if (pools != null) {
            pools.close();
        }
    }

    /** Returns the seeds that fail, up to a few. */
    private static List<Simulation> failing(int seeds, CarrierFault fault) {
        Long single = Long.getLong("io.reactorucx.test.seed");
        List<Simulation> failed = new ArrayList<>();
        (single == null ? LongStream.rangeClosed(1, seeds) : LongStream.of(single)).forEach(seed -> {
            if (failed.size() < SHOWN) {
                Scenario scenario = new Scenario(seed, fault, pools, PHASES::add);
                Simulation run = scenario.run();
                ringRecords += scenario.ringRecords();
                if (run.hasFailed()) {
                    failed.add(run);
                }
                pools.reclaim();
            }
        });
        return failed;
    }

    @Test
    void nothingIsWrongInAnySeed() {
        PHASES.clear();
        ringRecords = 0;

        assertThat(failing(SEEDS, CarrierFault.NONE)).extracting(Simulation::report).isEmpty();

        if (SEEDS >= ENOUGH_SEEDS && Long.getLong("io.reactorucx.test.seed") == null) {
            assertThat(PHASES).as("the phases that were reached").containsAll(LASTING_PHASES);
            assertThat(ringRecords).as("batches that went over rings").isGreaterThan(SEEDS);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void faultOfTheCarrierIsFound(CarrierFault fault) {
        List<Simulation> found = failing(SEEDS_OF_A_FAULT, fault);

        LOG.info("{} is found by {}", fault, found.stream().map(Simulation::finding).toList());
        assertThat(found).hasSize(SHOWN).extracting(Simulation::finding).allSatisfy(finding ->
                assertThat(finding).containsPattern(Pattern.compile(fault.foundBy())));
    }
}
