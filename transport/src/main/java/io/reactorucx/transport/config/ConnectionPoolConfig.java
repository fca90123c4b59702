package io.reactorucx.transport.config;

import java.time.Duration;
import java.util.Objects;

/**
 * The limits of a connection pool; immutable, the builder changes copies of it.
 *
 * @param minConnections connections that the pool keeps once they were needed
 * @param maxConnections maximum number of connections
 * @param pendingAcquireMaxCount subscribers that may wait for a connection, {@link #TWICE_THE_CONNECTIONS} by default
 * @param pendingAcquireTimeout longest wait for a connection
 * @param eviction when a connection is closed although the peer is well
 * @param leastRecentlyUsedFirst whether the connection that was idle longest is lent next
 */
public record ConnectionPoolConfig(int minConnections, int maxConnections, int pendingAcquireMaxCount,
        Duration pendingAcquireTimeout, Eviction eviction, boolean leastRecentlyUsedFirst) {

    /** A number of waiting subscribers that follows {@link #maxConnections}. */
    public static final int TWICE_THE_CONNECTIONS = -1;

    private static final Duration MAX_TIME = Duration.ofDays(365);

    public static final ConnectionPoolConfig DEFAULT = new ConnectionPoolConfig(0, 16, TWICE_THE_CONNECTIONS,
            Duration.ofSeconds(45), new Eviction(MAX_TIME, MAX_TIME, Duration.ofSeconds(30)), true);

    /**
     * The eviction of idle and old connections.
     *
     * @param maxIdleTime age since the last use
     * @param maxLifeTime age since the connection was made
     * @param interval time between two searches in the background, 0 for none
     */
    public record Eviction(Duration maxIdleTime, Duration maxLifeTime, Duration interval) {
    }

    /** Returns how many subscribers may wait. */
    public int maxPending() {
        return pendingAcquireMaxCount == TWICE_THE_CONNECTIONS ? (int) Math.min(2L * maxConnections, Integer.MAX_VALUE)
                : pendingAcquireMaxCount;
    }

    public ConnectionPoolConfig withMinConnections(int count) {
        return new ConnectionPoolConfig(checkCount(count, "minConnections", 0), maxConnections, pendingAcquireMaxCount,
                pendingAcquireTimeout, eviction, leastRecentlyUsedFirst);
    }

    public ConnectionPoolConfig withMaxConnections(int count) {
        return new ConnectionPoolConfig(minConnections, checkCount(count, "maxConnections", 1), pendingAcquireMaxCount,
                pendingAcquireTimeout, eviction, leastRecentlyUsedFirst);
    }

    public ConnectionPoolConfig withPendingAcquireMaxCount(int count) {
        return new ConnectionPoolConfig(minConnections, maxConnections,
                checkCount(count, "pendingAcquireMaxCount", 0), pendingAcquireTimeout, eviction,
                leastRecentlyUsedFirst);
    }

    public ConnectionPoolConfig withPendingAcquireTimeout(Duration value) {
        return new ConnectionPoolConfig(minConnections, maxConnections, pendingAcquireMaxCount,
                checkTime(value, "pendingAcquireTimeout", Duration.ofMillis(1)), eviction, leastRecentlyUsedFirst);
    }

    public ConnectionPoolConfig withMaxIdleTime(Duration value) {
        return withEviction(new Eviction(checkTime(value, "maxIdleTime", Duration.ofMillis(1)), eviction.maxLifeTime(),
                eviction.interval()));
    }

    public ConnectionPoolConfig withMaxLifeTime(Duration value) {
        return withEviction(new Eviction(eviction.maxIdleTime(), checkTime(value, "maxLifeTime", Duration.ofMillis(1)),
                eviction.interval()));
    }

    public ConnectionPoolConfig withEvictionInterval(Duration value) {
        return withEviction(new Eviction(eviction.maxIdleTime(), eviction.maxLifeTime(),
                checkTime(value, "evictInBackground", Duration.ZERO)));
    }

    private ConnectionPoolConfig withEviction(Eviction value) {
        return new ConnectionPoolConfig(minConnections, maxConnections, pendingAcquireMaxCount, pendingAcquireTimeout,
                value, leastRecentlyUsedFirst);
    }

    public ConnectionPoolConfig withLeastRecentlyUsedFirst(boolean value) {
        return new ConnectionPoolConfig(minConnections, maxConnections, pendingAcquireMaxCount, pendingAcquireTimeout,
                eviction, value);
    }

    /** Checks what the limits have to be together. */
    public ConnectionPoolConfig checked() {
        if (minConnections > maxConnections) {
            throw new IllegalArgumentException("minConnections " + minConnections + ": must be at most maxConnections, "
                    + maxConnections);
        }
        return this;
    }

    private static int checkCount(int count, String name, int min) {
        if (count < min) {
            throw new IllegalArgumentException(name + " " + count + ": must be at least " + min);
        }
        return count;
    }

    public static Duration checkTime(Duration value, String name, Duration min) {
        Objects.requireNonNull(value, name);
        if (value.compareTo(min) < 0 || value.compareTo(MAX_TIME) > 0) {
            throw new IllegalArgumentException(name + " " + value + ": must be in " + min + ".." + MAX_TIME);
        }
        return value;
    }
}
