package io.reactorucx.memory;

import io.reactorucx.internal.frame.MemoryFrame;
import java.time.Duration;
import java.util.Objects;

/**
 * Limits of remote memory that is served.
 *
 * @param maxWindows windows that may be exported at once
 * @param maxRequests requests of one connection that this side serves at once; its peer is told, and holds the others
 * back
 * @param maxQueuedRequests requests of this side that may be held back on one connection; one more ends with
 * EXCEEDS_LIMIT
 * @param revokeTimeout how long requests under way may keep the memory of a window that is revoked; a connection whose
 *     peer takes longer, to fetch what it asked for or to deliver what it offered, is closed by force
 */
public record ServedMemoryConfig(int maxWindows, int maxRequests, int maxQueuedRequests, Duration revokeTimeout) {

    private static final int MAX_WINDOWS = 1 << 20;
    private static final int MAX_QUEUED = 1 << 20;
    private static final Duration LONGEST = Duration.ofHours(1);

    /** What is used unless something else is said. */
    public static final ServedMemoryConfig DEFAULT = new ServedMemoryConfig(1024, 64, 4096, Duration.ofSeconds(5));

    /** Checks the parts. */
    public ServedMemoryConfig {
        inRange(maxWindows, 0, MAX_WINDOWS, "maxWindows");
        inRange(maxRequests, MemoryFrame.FIRST_REQUESTS, MemoryFrame.MAX_REQUESTS, "maxRequests");
        inRange(maxQueuedRequests, 0, MAX_QUEUED, "maxQueuedRequests");
        if (Objects.requireNonNull(revokeTimeout, "revokeTimeout").isNegative()
                || revokeTimeout.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("revokeTimeout " + revokeTimeout + ": must be in 0.." + LONGEST);
        }
    }

    private static void inRange(int value, int min, int max, String what) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(what + " " + value + ": must be in " + min + ".." + max);
        }
    }

    /**
     * Changes the number of windows.
     *
     * @param value windows that may be exported at once, 0 for none
     * @return a changed copy
     */
    public ServedMemoryConfig withMaxWindows(int value) {
        return new ServedMemoryConfig(value, maxRequests, maxQueuedRequests, revokeTimeout);
    }

    /**
     * Changes the number of requests that are served.
     *
     * @param value 8 to 4096, 64 by default
     * @return a changed copy
     */
    public ServedMemoryConfig withMaxRequests(int value) {
        return new ServedMemoryConfig(maxWindows, value, maxQueuedRequests, revokeTimeout);
    }

    /**
     * Changes the number of requests that are held back.
     *
     * @param value 0 to 1048576, 4096 by default
     * @return a changed copy
     */
    public ServedMemoryConfig withMaxQueuedRequests(int value) {
        return new ServedMemoryConfig(maxWindows, maxRequests, value, revokeTimeout);
    }

    /**
     * Changes how long a revocation waits before it uses force.
     *
     * @param value 0 to 1 hour, 5 s by default
     * @return a changed copy
     */
    public ServedMemoryConfig withRevokeTimeout(Duration value) {
        return new ServedMemoryConfig(maxWindows, maxRequests, maxQueuedRequests, value);
    }
}
