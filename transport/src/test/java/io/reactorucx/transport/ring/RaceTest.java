package io.reactorucx.transport.ring;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.testsupport.RaceRun;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openjdk.jcstress.Main;

/** The two sides of a ring at the same time; the races are in {@code src/jcstress/java}. */
@Tag("slow")
class RaceTest {

    private static final Map<String, String> RACES = Map.of("RingRecordStress", "OK", "RingRoomStress", "OK",
            "RingSleepStress", "OK", "RingWaitStress", "OK", "RingWrapStress", "OK");

    @Test
    void readerAndWriterMeetWell() {
        RaceRun run = RaceRun.of(Main.class, "\\.ring\\.(" + String.join("|", RACES.keySet()) + ")$", RACES.size());
        assertThat(run.verdicts()).as(run.output()).isEqualTo(RACES);
        assertThat(run.samples()).as(run.output()).isGreaterThan(10_000);
        System.out.println(run.verdicts().size() + " races, " + run.samples() + " samples");
    }
}
