package io.reactorucx.core;

import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.core.internal.Arguments;
import java.util.Objects;

/**
 * Limits and parameters of a worker.
 *
 * @param name name for logs, at most 31 characters
 * @param maxInFlight operations that may be in flight at once, 1 to 1,048,576; one more is refused as {@link
 *     UcxStatus#NO_RESOURCE}. Not counted are operations that end others or that the peer's worker alone ends: fetches,
 *     and eager active messages with flushes, as many of either or 4096, control messages, and closes
 * @param maxInlineBytes active messages up to this payload size in bytes are copied on arrival; larger ones are held
 *     for a fetch
 * @param maxPendingConnections connection requests of a listener that may wait for an answer; one more is rejected
 * @param parameters what UCX makes it with
 */
public record UcpWorkerConfig(String name, int maxInFlight, int maxInlineBytes, int maxPendingConnections,
        UcpWorkerParameters parameters) {

    /** Default of {@link #maxInFlight}. */
    public static final int DEFAULT_MAX_IN_FLIGHT = 8192;
    /** Default of {@link #maxInlineBytes}. */
    public static final int DEFAULT_MAX_INLINE_BYTES = 16 * 1024;
    /** Default of {@link #maxPendingConnections}. */
    public static final int DEFAULT_MAX_PENDING_CONNECTIONS = 1024;

    private static final int MAX_IN_FLIGHT = 1 << 20;
    private static final int MAX_INLINE_BYTES = 1 << 24;

    /** Checks the limits. */
    public UcpWorkerConfig {
        Arguments.name(name, "name");
        Arguments.range(maxInFlight, 1, MAX_IN_FLIGHT, "maxInFlight");
        Arguments.range(maxInlineBytes, 0, MAX_INLINE_BYTES, "maxInlineBytes");
        Arguments.range(maxPendingConnections, 1, MAX_IN_FLIGHT, "maxPendingConnections");
        Objects.requireNonNull(parameters, "parameters");
    }

    /**
     * Limits of a worker that UCX makes as it does by itself.
     *
     * @param name name for logs
     * @param maxInFlight operations that may be in flight at once
     * @param maxInlineBytes active messages up to this payload size in bytes are copied on arrival
     * @param maxPendingConnections connection requests of a listener that may wait for an answer
     */
    public UcpWorkerConfig(String name, int maxInFlight, int maxInlineBytes, int maxPendingConnections) {
        this(name, maxInFlight, maxInlineBytes, maxPendingConnections, UcpWorkerParameters.DEFAULT);
    }

    /**
     * The defaults.
     *
     * @param name name for logs
     * @return limits that suit most uses
     */
    public static UcpWorkerConfig of(String name) {
        return new UcpWorkerConfig(name, DEFAULT_MAX_IN_FLIGHT, DEFAULT_MAX_INLINE_BYTES,
                DEFAULT_MAX_PENDING_CONNECTIONS);
    }

    /**
     * The same limits for a worker that UCX makes otherwise.
     *
     * @param other what UCX makes it with
     * @return limits with these parameters
     */
    public UcpWorkerConfig with(UcpWorkerParameters other) {
        return new UcpWorkerConfig(name, maxInFlight, maxInlineBytes, maxPendingConnections, other);
    }
}
