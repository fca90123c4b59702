package io.reactorucx;

import java.time.Duration;

/** How many connections a pool has, how long they last, and who may wait for one; immutable. */
record ConnectionPoolConfig(UcxClient client, int minConnections, int maxConnections, int pendingAcquireMaxCount,
        Duration pendingAcquireTimeout,
        Duration maxIdleTime, Duration maxLifeTime, Duration evictionInterval, boolean leastRecentlyUsedFirst) {
}
