package io.reactorucx.engine;

import io.reactorucx.core.UcpContext;
import io.reactorucx.core.UcpFeature;
import io.reactorucx.core.UcpWorkerConfig;
import io.reactorucx.core.error.UcxUnsupportedException;
import java.time.Duration;
import java.util.Objects;

/**
 * Limits and wait behaviour of an engine.
 *
 * @param name prefix of thread and worker names, at most 24 characters
 * @param waitStrategy how to wait for work; all but BUSY_SPIN need a context with the feature WAKEUP
 * @param commandQueueCapacity commands of other threads that may wait; a power of two, others are rounded up; one more
 *     is rejected as BUSY
 * @param commandsPerStep commands that are run before UCX gets its turn again
 * @param spins idle rounds that spin, for {@link WaitStrategy#ADAPTIVE}
 * @param yields idle rounds after them that yield
 * @param maxSleep longest sleep; UCX checks quiet peers only while it is awake, so stay below half its keep-alive
 *     interval
 * @param closeTimeout how long to wait for operations to end before the worker is left to the process
 * @param maxInFlight see {@link UcpWorkerConfig#maxInFlight()}
 * @param maxInlineBytes see {@link UcpWorkerConfig#maxInlineBytes()}
 * @param maxPendingConnections see {@link UcpWorkerConfig#maxPendingConnections()}
 */
public record EngineConfig(String name, WaitStrategy waitStrategy, int commandQueueCapacity, int commandsPerStep,
        int spins, int yields, Duration maxSleep, Duration closeTimeout, int maxInFlight, int maxInlineBytes,
        int maxPendingConnections) {

    /** Default of {@link #commandQueueCapacity}. */
    public static final int DEFAULT_COMMAND_QUEUE_CAPACITY = 8192;
    /** Default of {@link #commandsPerStep}. */
    public static final int DEFAULT_COMMANDS_PER_STEP = 64;
    /**
     * Default of {@link #spins}: some 3 us, more than a peer that spins as well needs for an answer over shared memory.
     * Where a peer has to be woken first, an engine that spins for longer delays that on a shared processor.
     */
    public static final int DEFAULT_SPINS = 50;
    /**
     * Default of {@link #yields}: none, because each gives away a whole time slice to a thread that computes on the
     * same processor.
     */
    public static final int DEFAULT_YIELDS = 0;
    /** Default of {@link #maxSleep}. */
    public static final Duration DEFAULT_MAX_SLEEP = Duration.ofSeconds(1);
    /** Default of {@link #closeTimeout}. */
    public static final Duration DEFAULT_CLOSE_TIMEOUT = Duration.ofSeconds(5);

    private static final Duration LONGEST = Duration.ofHours(1);
    private static final int MAX_NAME_LENGTH = 24;
    private static final int MAX_QUEUE_CAPACITY = 1 << 24;

    /** Checks the parts. */
    public EngineConfig {
        Objects.requireNonNull(waitStrategy, "waitStrategy");
        if (Objects.requireNonNull(name, "name").length() > MAX_NAME_LENGTH) {
            throw new IllegalArgumentException("name " + name + ": must be at most " + MAX_NAME_LENGTH + " characters");
        }
        inRange(commandQueueCapacity, 2, MAX_QUEUE_CAPACITY, "commandQueueCapacity");
        inRange(commandsPerStep, 1, MAX_QUEUE_CAPACITY, "commandsPerStep");
        inRange(spins, 0, Integer.MAX_VALUE, "spins");
        inRange(yields, 0, Integer.MAX_VALUE, "yields");
        if (Objects.requireNonNull(maxSleep, "maxSleep").compareTo(Duration.ofMillis(1)) < 0
                || maxSleep.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("maxSleep " + maxSleep + ": must be in 1 ms.." + LONGEST);
        }
        if (Objects.requireNonNull(closeTimeout, "closeTimeout").isNegative() || closeTimeout.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("closeTimeout " + closeTimeout + ": must be in 0.." + LONGEST);
        }
        // Checks the limits of the worker.
        new UcpWorkerConfig(name, maxInFlight, maxInlineBytes, maxPendingConnections);
    }

    private static void inRange(int value, int min, int max, String what) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(what + " " + value + ": must be in " + min + ".." + max);
        }
    }

    /**
     * The defaults.
     *
     * @param name prefix of thread and worker names
     * @return a configuration
     */
    public static EngineConfig of(String name) {
        return new EngineConfig(name, WaitStrategy.ADAPTIVE, DEFAULT_COMMAND_QUEUE_CAPACITY, DEFAULT_COMMANDS_PER_STEP,
                DEFAULT_SPINS, DEFAULT_YIELDS, DEFAULT_MAX_SLEEP, DEFAULT_CLOSE_TIMEOUT,
                UcpWorkerConfig.DEFAULT_MAX_IN_FLIGHT, UcpWorkerConfig.DEFAULT_MAX_INLINE_BYTES,
                UcpWorkerConfig.DEFAULT_MAX_PENDING_CONNECTIONS);
    }

    /**
     * The same with another name.
     *
     * @param value prefix of thread and worker names
     * @return a configuration
     */
    public EngineConfig withName(String value) {
        return new EngineConfig(value, waitStrategy, commandQueueCapacity, commandsPerStep, spins, yields, maxSleep,
                closeTimeout, maxInFlight, maxInlineBytes, maxPendingConnections);
    }

    /**
     * The same with another wait strategy.
     *
     * @param value the strategy
     * @return a configuration
     */
    public EngineConfig withWaitStrategy(WaitStrategy value) {
        return new EngineConfig(name, value, commandQueueCapacity, commandsPerStep, spins, yields, maxSleep,
                closeTimeout, maxInFlight, maxInlineBytes, maxPendingConnections);
    }

    /**
     * The same with other limits of queued commands and operations in flight.
     *
     * @param queueCapacity see {@link #commandQueueCapacity}
     * @param inFlight see {@link #maxInFlight}
     * @return a configuration
     */
    public EngineConfig withLimits(int queueCapacity, int inFlight) {
        return new EngineConfig(name, waitStrategy, queueCapacity, commandsPerStep, spins, yields, maxSleep,
                closeTimeout, inFlight, maxInlineBytes, maxPendingConnections);
    }

    /**
     * The same with other numbers of idle rounds before the engine sleeps, for {@link WaitStrategy#ADAPTIVE}.
     *
     * @param spinning see {@link #spins}
     * @param yielding see {@link #yields}
     * @return a configuration
     */
    public EngineConfig withIdleRounds(int spinning, int yielding) {
        return new EngineConfig(name, waitStrategy, commandQueueCapacity, commandsPerStep, spinning, yielding,
                maxSleep, closeTimeout, maxInFlight, maxInlineBytes, maxPendingConnections);
    }

    /**
     * The same with another time limit for closing.
     *
     * @param value how long to wait for operations to end
     * @return a configuration
     */
    public EngineConfig withCloseTimeout(Duration value) {
        return new EngineConfig(name, waitStrategy, commandQueueCapacity, commandsPerStep, spins, yields, maxSleep,
                value, maxInFlight, maxInlineBytes, maxPendingConnections);
    }

    /** Checks that a context has what the wait strategy needs. */
    void requireFeatures(UcpContext context) {
        if (waitStrategy != WaitStrategy.BUSY_SPIN && !context.config().features().contains(UcpFeature.WAKEUP)) {
            throw new UcxUnsupportedException("engine", "the wait strategy " + waitStrategy + " sleeps, and the context"
                    + " was made without the feature WAKEUP: add it to its UcpConfig, or use BUSY_SPIN");
        }
    }

    UcpWorkerConfig workerConfig(int index) {
        return new UcpWorkerConfig(name + "-" + index, maxInFlight, maxInlineBytes, maxPendingConnections);
    }
}
