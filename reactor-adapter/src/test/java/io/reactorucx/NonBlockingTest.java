package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.testsupport.ChildJvm;
import io.reactorucx.testsupport.ChildProcess;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.testsupport.TestTime;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * No thread that must not block does: the contract is checked again while BlockHound watches. An engine's own wait is
 * within UCX's poll.
 */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class NonBlockingTest implements NeedsUcx {

    private static final Duration PATIENCE = TestTime.seconds(180);
    private static final Pattern SUMMARY = Pattern.compile(WatchedTests.SUMMARY
            + "(\\d+) passed, (\\d+) failed, (\\d+) blocked");

    private static ChildProcess.Result watch(Class<?>... tests) {
        // Without the first option BlockHound cannot rewrite native methods; without the second log lines would be
        // found.
        try (ChildJvm child = ChildJvm.of(WatchedTests.class)
                .options("-XX:+AllowRedefinitionToAddDeleteMethods", "-Dorg.slf4j.simpleLogger.defaultLogLevel=off",
                        "-XX:+EnableDynamicAgentLoading")
                .arguments(Arrays.stream(tests).map(Class::getName).toArray(String[]::new)).start()) {
            return child.result(PATIENCE);
        }
    }

    private static List<Integer> counts(ChildProcess.Result result) {
        Matcher summary = SUMMARY.matcher(result.output());
        assertThat(summary.find()).as(result.output()).isTrue();
        return List.of(Integer.parseInt(summary.group(1)), Integer.parseInt(summary.group(2)),
                Integer.parseInt(summary.group(3)));
    }

    @Test
    void handlerThatBlocksIsFound() {
        ChildProcess.Result result = watch(BlockingHandlerCase.class);
        assertThat(result.output()).containsPattern(WatchedTests.BLOCKED
                + ".*sleep.* in .*BlockingHandlerCase.sleep.*EngineThread");
        assertThat(counts(result)).startsWith(1, 0);
    }

    @Test
    void contractBlocksNowhere() {
        ChildProcess.Result result = watch(ActiveMessageContractTest.class, StreamContractTest.class);
        List<Integer> counts = counts(result);
        assertThat(counts.get(0)).as("passed").isGreaterThan(100);
        assertThat(counts.subList(1, 3)).as(result.output()).containsExactly(0, 0);
    }
}
