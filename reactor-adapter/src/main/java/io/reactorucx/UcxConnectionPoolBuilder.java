package io.reactorucx;

import io.reactorucx.transport.config.ConnectionPoolConfig;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import reactor.core.scheduler.Schedulers;

/**
 * Builds a {@link UcxConnectionPool}.
 *
 * <p><b>Threading:</b> one thread at a time. <b>Ownership:</b> none. <b>Errors:</b> {@link IllegalArgumentException}
 * for a limit that is out of range.
 */
public final class UcxConnectionPoolBuilder {

    private final UcxClient client;
    private ConnectionPoolConfig config = ConnectionPoolConfig.DEFAULT;

    UcxConnectionPoolBuilder(UcxClient client) {
        this.client = Objects.requireNonNull(client, "client");
    }

    /**
     * Sets how many connections the pool keeps once they were needed, or {@link UcxConnectionPool#warmup()} has made
     * them.
     *
     * @param count at least 0, which is the default
     * @return this
     */
    public UcxConnectionPoolBuilder minConnections(int count) {
        config = config.withMinConnections(count);
        return this;
    }

    /**
     * Sets the maximum number of connections.
     *
     * @param count at least 1, 16 by default
     * @return this
     */
    public UcxConnectionPoolBuilder maxConnections(int count) {
        config = config.withMaxConnections(count);
        return this;
    }

    /**
     * Sets how many subscribers may wait for a connection.
     *
     * @param count at least 0, twice the connections by default
     * @return this
     */
    public UcxConnectionPoolBuilder pendingAcquireMaxCount(int count) {
        config = config.withPendingAcquireMaxCount(count);
        return this;
    }

    /**
     * Sets how long a subscriber may wait for a connection to be released.
     * {@link UcxClient#connectTimeout(Duration)} limits the time for a new connection.
     *
     * @param value at least 1 ms, 45 s by default
     * @return this
     */
    public UcxConnectionPoolBuilder pendingAcquireTimeout(Duration value) {
        config = config.withPendingAcquireTimeout(value);
        return this;
    }

    /**
     * Sets the time without use after which a connection is closed.
     *
     * @param value at least 1 ms, a year by default
     * @return this
     */
    public UcxConnectionPoolBuilder maxIdleTime(Duration value) {
        config = config.withMaxIdleTime(value);
        return this;
    }

    /**
     * Sets the age at which a connection is closed instead of lent.
     *
     * @param value at least 1 ms, a year by default
     * @return this
     */
    public UcxConnectionPoolBuilder maxLifeTime(Duration value) {
        config = config.withMaxLifeTime(value);
        return this;
    }

    /**
     * Sets how often the pool evicts idle connections that have ended or are too old. Each connection is also checked
     * before it is lent.
     *
     * @param interval 0 for never, 30 s by default
     * @return this
     */
    public UcxConnectionPoolBuilder evictInBackground(Duration interval) {
        config = config.withEvictionInterval(interval);
        return this;
    }

    /**
     * Lends the connection first that was idle longest, so that all are used; the default.
     *
     * @return this
     */
    public UcxConnectionPoolBuilder fifo() {
        config = config.withLeastRecentlyUsedFirst(true);
        return this;
    }

    /**
     * Lends the most recently used connection first, so that the others become idle.
     *
     * @return this
     */
    public UcxConnectionPoolBuilder lifo() {
        config = config.withLeastRecentlyUsedFirst(false);
        return this;
    }

    /** {@return the pool, without connections so far} */
    public UcxConnectionPool build() {
        return new UcxConnectionPool(client, config.checked(), new SchedulerClock());
    }

    /** The time of Reactor's timers, which tests may replace. */
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
