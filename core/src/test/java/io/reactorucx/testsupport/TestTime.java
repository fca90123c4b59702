package io.reactorucx.testsupport;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Time limits of tests. A limit is given for a machine that does nothing else; on a slow or busy one all of them are
 * longer by the same factor. The system property {@value #PROPERTY} sets the factor, and so does the environment, with
 * {@value #VARIABLE}, for the processes of a whole build. Without either it is the number of threads that want a
 * processor, for each processor, when the JVM starts.
 *
 * <p>Only how long a test waits for what has to come may depend on this, and settings within which a healthy peer has
 * to answer.
 */
public final class TestTime {

    /** The system property. */
    public static final String PROPERTY = "io.reactorucx.test.slowness";
    /** The variable of the environment. */
    public static final String VARIABLE = "REACTOR_UCX_TEST_SLOWNESS";
    /** A test that hangs has to end on any machine. */
    static final double MAX_MEASURED = 20;

    private static final double SLOWNESS = slowness(System.getProperty(PROPERTY, System.getenv(VARIABLE)),
            ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage(),
            Runtime.getRuntime().availableProcessors());

    private TestTime() {
    }

    /** {@return the factor, at least 1} */
    public static double slowness() {
        return SLOWNESS;
    }

    /**
     * A time limit.
     *
     * @param seconds what suffices on a machine that does nothing else
     * @return the limit here
     */
    public static Duration seconds(long seconds) {
        return millis(seconds * 1000);
    }

    /**
     * A time limit.
     *
     * @param millis what suffices on a machine that does nothing else
     * @return the limit here
     */
    public static Duration millis(long millis) {
        return Duration.ofMillis((long) (millis * SLOWNESS));
    }

    static double slowness(@Nullable String set, double load, int processors) {
        if (set == null || set.isBlank()) {
            // The load is negative where it is not known.
            return Math.clamp(load / processors, 1, MAX_MEASURED);
        }
        try {
            double factor = Double.parseDouble(set);
            if (factor >= 1 && factor <= 1000) {
                return factor;
            }
        } catch (NumberFormatException e) {
            // Said below.
        }
        throw new IllegalArgumentException(PROPERTY + " " + set + ": is no factor from 1 to 1000");
    }
}
