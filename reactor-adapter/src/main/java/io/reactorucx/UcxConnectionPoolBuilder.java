package io.reactorucx;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import reactor.core.scheduler.Schedulers;

/** Collects what a {@link UcxConnectionPool} is made with. Not to be used by several threads at a time. */
public final class UcxConnectionPoolBuilder {

    private static final Duration LONGEST = Duration.ofDays(365);

    private final UcxClient client;
    private int minConnections;
    private int maxConnections = 16;
    private int pendingAcquireMaxCount = -1;
    private Duration pendingAcquireTimeout = Duration.ofSeconds(45);
    private Duration maxIdleTime = LONGEST;
    private Duration maxLifeTime = LONGEST;
    private Duration evictionInterval = Duration.ofSeconds(30);
    private boolean leastRecentlyUsedFirst = true;

    UcxConnectionPoolBuilder(UcxClient client) {
        this.client = Objects.requireNonNull(client, "client");
    }

    /**
     * How many connections there shall be at least once one was needed, or {@link UcxConnectionPool#warmup()} was
     * called.
     *
     * @param count at least 0, which is the default
     * @return this
     */
    public UcxConnectionPoolBuilder minConnections(int count) {
        minConnections = checkCount(count, "minConnections", 0);
        return this;
    }

    /**
     * How many connections there may be.
     *
     * @param count at least 1, 16 by default
     * @return this
     */
    public UcxConnectionPoolBuilder maxConnections(int count) {
        maxConnections = checkCount(count, "maxConnections", 1);
        return this;
    }

    /**
     * How many may wait for a connection.
     *
     * @param count at least 0, twice the connections by default
     * @return this
     */
    public UcxConnectionPoolBuilder pendingAcquireMaxCount(int count) {
        pendingAcquireMaxCount = checkCount(count, "pendingAcquireMaxCount", 0);
        return this;
    }

    /**
     * How long one may wait for a connection to be given back; how long a new one may take is
     * {@link UcxClient#connectTimeout(Duration)}.
     *
     * @param value at least 1 ms, 45 s by default
     * @return this
     */
    public UcxConnectionPoolBuilder pendingAcquireTimeout(Duration value) {
        pendingAcquireTimeout = checkTime(value, "pendingAcquireTimeout", Duration.ofMillis(1));
        return this;
    }

    /**
     * After which time without use a connection is closed.
     *
     * @param value at least 1 ms, a year by default
     * @return this
     */
    public UcxConnectionPoolBuilder maxIdleTime(Duration value) {
        maxIdleTime = checkTime(value, "maxIdleTime", Duration.ofMillis(1));
        return this;
    }

    /**
     * At which age a connection is lent no more.
     *
     * @param value at least 1 ms, a year by default
     * @return this
     */
    public UcxConnectionPoolBuilder maxLifeTime(Duration value) {
        maxLifeTime = checkTime(value, "maxLifeTime", Duration.ofMillis(1));
        return this;
    }

    /**
     * How often to look for idle connections that have ended or are too old; in any case that is looked at before one
     * is lent.
     *
     * @param interval 0 for never, 30 s by default
     * @return this
     */
    public UcxConnectionPoolBuilder evictInBackground(Duration interval) {
        evictionInterval = checkTime(interval, "evictInBackground", Duration.ZERO);
        return this;
    }

    /**
     * Lends the connection first that was used the longest time ago, so that all are used; the default.
     *
     * @return this
     */
    public UcxConnectionPoolBuilder fifo() {
        leastRecentlyUsedFirst = true;
        return this;
    }

    /**
     * Lends the connection first that was used last, so that the others become idle.
     *
     * @return this
     */
    public UcxConnectionPoolBuilder lifo() {
        leastRecentlyUsedFirst = false;
        return this;
    }

    private static int checkCount(int count, String name, int min) {
        if (count < min) {
            throw new IllegalArgumentException(name + " " + count + ": at least " + min);
        }
        return count;
    }

    static Duration checkTime(Duration value, String name, Duration min) {
        Objects.requireNonNull(value, name);
        if (value.compareTo(min) < 0 || value.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(name + " " + value + ": must be in " + min + ".." + LONGEST);
        }
        return value;
    }

    /** {@return the pool, still without connections} */
    public UcxConnectionPool build() {
        if (minConnections > maxConnections) {
            throw new IllegalArgumentException("minConnections " + minConnections + ": at most maxConnections, "
                    + maxConnections);
        }
        int maxPending = pendingAcquireMaxCount < 0 ? (int) Math.min(2L * maxConnections, Integer.MAX_VALUE)
                : pendingAcquireMaxCount;
        return new UcxConnectionPool(new ConnectionPoolConfig(client, minConnections, maxConnections, maxPending,
                pendingAcquireTimeout, maxIdleTime,
                maxLifeTime, evictionInterval, leastRecentlyUsedFirst), new SchedulerClock());
    }

    /** The time of the timers. */
    private static final class SchedulerClock extends Clock {

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return Instant.ofEpochMilli(Schedulers.parallel().now(TimeUnit.MILLISECONDS));
        }
    }
}
