package io.reactorucx;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import reactor.blockhound.BlockHound;
import reactor.blockhound.BlockingOperationError;

/**
 * Runs test classes while BlockHound watches the threads that must not block, the engines' among them; a program of its
 * own, because it rewrites the JDK's classes. Prints what blocked, each place once, and how many tests there were.
 */
final class WatchedTests {

    /** How the last line starts. */
    static final String SUMMARY = "watched: ";

    /** How a line starts that says where a thread blocked. */
    static final String BLOCKED = "blocked: ";

    private static final Map<String, BlockingOperationError> FOUND = new ConcurrentHashMap<>();

    private WatchedTests() {
    }

    /** Takes the names of the classes. */
    public static void main(String[] classNames) {
        BlockHound.builder().loadIntegrations()
                // The engine's own wait: it spins, then sleeps in UCX's poll.
                .allowBlockingCallsInside("io.reactorucx.engine.EngineSleep", "idle")
                // A lock that is held for a few steps; without contention nothing waits for it.
                .allowBlockingCallsInside("io.reactorucx.transport.buffer.BufferPool", "acquire")
                .allowBlockingCallsInside("io.reactorucx.transport.buffer.BufferPool", "release")
                // Once, at an engine's end: a signal of another thread that has begun is let through.
                .allowBlockingCallsInside("io.reactorucx.core.internal.worker.WorkerWakeup", "destroyed")
                // The system's random numbers, whose device never waits once the system runs.
                .allowBlockingCallsInside("java.security.SecureRandom", "nextBytes")
                // The tests' own queues, which threads that wait for a message share with the engine.
                .allowBlockingCallsInside("java.util.concurrent.LinkedBlockingQueue", "offer")
                .blockingMethodCallback(method -> {
                    BlockingOperationError error = new BlockingOperationError(method);
                    FOUND.putIfAbsent(place(error), error);
                }).install();
        Launcher launcher = LauncherFactory.create();
        SummaryGeneratingListener summary = new SummaryGeneratingListener();
        launcher.execute(LauncherDiscoveryRequestBuilder.request()
                .selectors(Arrays.stream(classNames).map(name -> (DiscoverySelector) selectClass(name)).toList())
                .build(), summary);
        summary.getSummary().getFailures().forEach(failure ->
                System.out.println("failed: " + failure.getTestIdentifier().getDisplayName()
                + ": " + failure.getException()));
        FOUND.forEach((place, error) -> {
            System.out.println(BLOCKED + place);
            Arrays.stream(error.getStackTrace()).forEach(frame -> System.out.println("    at " + frame));
        });
        System.out.println(SUMMARY + summary.getSummary().getTestsSucceededCount() + " passed, " + summary.getSummary()
                .getTestsFailedCount()
                + " failed, " + FOUND.size() + " blocked");
        System.exit(0);
    }

    /** The call, and the place in our code that it comes from. */
    private static String place(BlockingOperationError error) {
        return error.getMessage() + " in " + Arrays.stream(error.getStackTrace()).filter(frame ->
                frame.getClassName().startsWith("io.reactorucx.")
                && !frame.getClassName().startsWith(WatchedTests.class.getName()))
                .findFirst().map(StackTraceElement::toString).orElse("no code of ours") + " on "
                + Thread.currentThread().getClass().getName();
    }
}
