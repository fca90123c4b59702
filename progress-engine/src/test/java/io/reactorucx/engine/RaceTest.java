package io.reactorucx.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.testsupport.RaceRun;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openjdk.jcstress.Main;

/** Concurrent use of an engine by several threads; the races are in {@code src/jcstress/java}. */
@Tag("slow")
class RaceTest {

    private static final Map<String, String> RACES = Map.of("BurstStress", "OK", "ParkingStateStress", "OK",
            "WakeupStress", "OK");

    private static final String FAULTY = "\\.FaultyStress$";
    private static final int ATTEMPTS = 10;

    @Test
    void commandsAndSleepMeetWell() {
        RaceRun run = RaceRun.of(Main.class, "\\.engine\\.(" + String.join("|", RACES.keySet()) + ")$", RACES.size());
        assertThat(run.verdicts()).as(run.output()).isEqualTo(RACES);
        assertThat(run.samples()).as(run.output()).isGreaterThan(10_000);
        System.out.println(run.verdicts().size() + " races, " + run.samples() + " samples");
    }

    /** A short run that has no second processor, since others use it, finds nothing. */
    @Test
    void lostRaceIsFound() {
        RaceRun run = RaceRun.shortly(Main.class, FAULTY);
        for (int i = 1; i < ATTEMPTS && !run.verdicts().containsValue("FAILED"); i++) {
            run = RaceRun.shortly(Main.class, FAULTY);
        }
        assertThat(run.verdicts()).as(run.output()).isEqualTo(Map.of("FaultyStress", "FAILED"));
    }
}
