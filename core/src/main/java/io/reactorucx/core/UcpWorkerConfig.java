package io.reactorucx.core;

import io.reactorucx.core.internal.Arguments;

/**
 * Limits of a worker.
 *
 * @param name name for logs, at most 31 characters
 * @param maxInFlight operations that may be under way at once, 1 to 1,048,576; one more is refused as {@link UcxStatus#NO_RESOURCE}
 * @param maxInlineBytes active messages up to this payload size in bytes are copied on arrival; larger ones are held for a fetch
 * @param maxPendingConnections connection requests of a listener that may wait for an answer; one more is rejected
 */
public record UcpWorkerConfig(String name, int maxInFlight, int maxInlineBytes, int maxPendingConnections) {

    /** Default of {@link #maxInFlight}. */
    public static final int DEFAULT_MAX_IN_FLIGHT = 8192;
    /** Default of {@link #maxInlineBytes}. */
    public static final int DEFAULT_MAX_INLINE_BYTES = 16 * 1024;
    /** Default of {@link #maxPendingConnections}. */
    public static final int DEFAULT_MAX_PENDING_CONNECTIONS = 1024;

    private static final int MOST_IN_FLIGHT = 1 << 20;
    private static final int MOST_INLINE_BYTES = 1 << 24;

    /** Checks the limits. */
    public UcpWorkerConfig {
        Arguments.name(name, "name");
        Arguments.range(maxInFlight, 1, MOST_IN_FLIGHT, "maxInFlight");
        Arguments.range(maxInlineBytes, 0, MOST_INLINE_BYTES, "maxInlineBytes");
        Arguments.range(maxPendingConnections, 1, MOST_IN_FLIGHT, "maxPendingConnections");
    }

    /**
     * The defaults.
     *
     * @param name name for logs
     * @return limits that suit most uses
     */
    public static UcpWorkerConfig of(String name) {
        return new UcpWorkerConfig(name, DEFAULT_MAX_IN_FLIGHT, DEFAULT_MAX_INLINE_BYTES, DEFAULT_MAX_PENDING_CONNECTIONS);
    }
}
