package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.testsupport.ChildJvm;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A subscriber that keeps every message fills the Java heap, and goes on to keep it. The JVM never aborts.
 *
 * <p>{@code -Dkept.runs=50} makes as many runs of each test; they take turns in collectors and heaps. The output has a
 * table of how they ended.
 */
@Tag("slow")
class KeptMessagesTest {

    private static final int RUNS = Integer.getInteger("kept.runs", 2);
    private static final String[] COLLECTORS = {"-XX:+UseSerialGC", "-XX:+UseG1GC"};
    private static final String[] HEAPS = {"-Xmx32m", "-Xmx24m"};

    @ParameterizedTest
    @ValueSource(strings = {"messages", "am"})
    void subscriberThatKeepsEveryMessageEndsNoProcess(String what) {
        Map<String, Integer> endings = new TreeMap<>();
        for (int run = 0; run < RUNS; run++) {
            String collector = COLLECTORS[run % 2];
            String heap = HEAPS[run / 2 % 2];

            ChildJvm.Result result = ChildJvm.of(KeepingProgram.class)
                    .options(collector, heap, "-XX:-CreateCoredumpOnCrash").arguments(what, "posix,tcp").run();

            boolean failed = result.output().contains(KeepingProgram.ENDED_WITH_AN_ERROR);
            endings.merge(collector + " " + heap + " rc " + result.exitCode() + (failed ? " with an error" : ""), 1,
                    Integer::sum);
            assertThat(result.exitCode()).as("run %s of %s: %s", run, endings, result.output()).isZero();
            assertThat(result.output()).doesNotContain(KeepingProgram.NOT_ENDED + true);
        }
        System.out.println(what + ": " + endings);
    }
}
