package io.reactorucx.memory;

import java.time.Duration;
import java.util.Objects;

/**
 * Limits of remote memory that is served.
 *
 * @param maxWindows windows that may be exported at once
 * @param maxRequests requests of one connection that this side serves at once; the peer learns the number and queues
 *     the others
 * @param maxQueuedRequests requests of this side that may be queued on one connection; one more ends with EXCEEDS_LIMIT
 * @param revokeTimeout how long requests in flight may keep the memory of a window that is revoked; a connection whose
 *     peer takes longer, to fetch the data of a read or to deliver the data of a write, is closed by force
 */
public record ServedMemoryConfig(int maxWindows, int maxRequests, int maxQueuedRequests, Duration revokeTimeout) {

    /** Smallest {@link #maxRequests()}: a peer may send as many before it knows the number. */
    public static final int MIN_REQUESTS = 8;

    /** Largest {@link #maxRequests()}. */
    public static final int MAX_REQUESTS = 4096;

    private static final int MAX_WINDOWS = 1 << 20;
    private static final int MAX_QUEUED = 1 << 20;
    private static final Duration MAX_REVOKE_TIMEOUT = Duration.ofHours(1);

    /** 1024 windows, 64 requests at once, 4096 queued, 5 s. */
    public static final ServedMemoryConfig DEFAULT = new ServedMemoryConfig(1024, 64, 4096, Duration.ofSeconds(5));

    /** Checks the limits. */
    public ServedMemoryConfig {
        inRange(maxWindows, 0, MAX_WINDOWS, "maxWindows");
        inRange(maxRequests, MIN_REQUESTS, MAX_REQUESTS, "maxRequests");
        inRange(maxQueuedRequests, 0, MAX_QUEUED, "maxQueuedRequests");
        if (Objects.requireNonNull(revokeTimeout, "revokeTimeout").isNegative()
                || revokeTimeout.compareTo(MAX_REVOKE_TIMEOUT) > 0) {
            throw new IllegalArgumentException("revokeTimeout " + revokeTimeout + ": must be in 0.."
                    + MAX_REVOKE_TIMEOUT);
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
     * Changes the number of requests that are queued.
     *
     * @param value 0 to 1048576, 4096 by default
     * @return a changed copy
     */
    public ServedMemoryConfig withMaxQueuedRequests(int value) {
        return new ServedMemoryConfig(maxWindows, maxRequests, value, revokeTimeout);
    }

    /**
     * Changes how long a revocation waits before it closes connections by force.
     *
     * @param value 0 to 1 hour, 5 s by default
     * @return a changed copy
     */
    public ServedMemoryConfig withRevokeTimeout(Duration value) {
        return new ServedMemoryConfig(maxWindows, maxRequests, maxQueuedRequests, value);
    }
}
