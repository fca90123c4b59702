package io.reactorucx.examples.store.replica;

import java.time.Duration;

/**
 * Limits of the replication of a pair.
 *
 * @param maxPending writes that wait for the backup
 * @param maxPendingBytes bytes of those
 * @param batchChanges writes that go to the backup at once
 * @param batchBytes bytes of those; a single write may have more
 * @param replyTimeout how long the other node may take for a batch, or for the next part of its entries
 * @param pause before a batch is sent again
 */
record ReplicaLimits(int maxPending, long maxPendingBytes, int batchChanges, long batchBytes, Duration replyTimeout,
        Duration pause) {

    /** Keys that may be written while a node gets its data; beyond it begins anew. */
    static final int MAX_WRITTEN_MEANWHILE = 1 << 18;

    static final ReplicaLimits DEFAULT = new ReplicaLimits(4096, 64 << 20, 256, 2 << 20, Duration.ofSeconds(1),
            Duration.ofMillis(50));
}
