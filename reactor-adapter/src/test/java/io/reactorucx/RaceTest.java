package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.testsupport.RaceRun;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.openjdk.jcstress.Main;

/**
 * What threads may do at the same time to operations, leases and commands; the races are in {@code src/jcstress/java}.
 */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class RaceTest implements NeedsUcx {

    private static final List<String> RACES = List.of("BufferDisposeStress", "BufferReleaseStress",
            "BufferRetainStress",
            "CancelAgainstCompleteStress", "CancelAgainstFailureStress", "CancelAgainstLossStress",
            "CancelAgainstRequestStress",
            "CoalescedCommandStress", "DoubleRequestStress", "DropAgainstCancelStress");

    @Test
    void everyRaceEndsWell() {
        RaceRun run = RaceRun.of(Main.class, "\\.reactorucx\\.(" + String.join("|", RACES) + ")$", RACES.size());
        Map<String, String> allWell = RACES.stream().collect(Collectors.toMap(Function.identity(), race -> "OK"));
        assertThat(run.verdicts()).as(run.output()).isEqualTo(allWell);
        assertThat(run.samples()).as(run.output()).isGreaterThan(10_000);
        System.out.println(run.verdicts().size() + " races, " + run.samples() + " samples");
    }
}
