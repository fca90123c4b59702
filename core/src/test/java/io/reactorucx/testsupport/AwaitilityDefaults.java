package io.reactorucx.testsupport;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestPlan;

/**
 * Lets Awaitility look at conditions more often than every 100 ms, its default, after which it also looks for the first
 * time: most of what the tests wait for comes within a few milliseconds, and they wait thousands of times. Its limit
 * grows with {@link TestTime}. JUnit finds this class by {@code META-INF/services}, in every module that has it on the
 * class path of its tests.
 */
public final class AwaitilityDefaults implements TestExecutionListener {

    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(20);
    private static final Duration LIMIT = TestTime.seconds(10);

    @Override
    public void testPlanExecutionStarted(TestPlan plan) {
        Awaitility.setDefaultPollInterval(BETWEEN_LOOKS);
        Awaitility.setDefaultTimeout(LIMIT);
    }
}
