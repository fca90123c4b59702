package io.reactorucx.transport;

import java.util.Objects;

/**
 * The rings in memory between one engine and engines of the same host: counts since the engine started, and the pairs
 * of now. All are 0 where the engine has no rings.
 *
 * @param pairs pairs of rings that are open, one for each engine of a peer
 * @param sentRecords records that were written; each has one message, a batch of small ones, or what is said about them
 * @param receivedRecords records that were read
 * @param waits records that had to wait: for room in the ring, or until both sides had agreed on it
 * @param wakeUps how often a peer that slept was woken for its ring
 * @param declinedConnections connections with engines of the same host that go on without rings, because a limit had no
 *     room for them, or one of the two could not map the other's
 */
public record RingStatistics(long pairs, long sentRecords, long receivedRecords, long waits, long wakeUps,
        long declinedConnections) {

    /** Those of an engine that has no rings. */
    public static final RingStatistics NONE = new RingStatistics(0, 0, 0, 0, 0, 0);

    /** {@return the sums of these and of other ones} */
    public RingStatistics plus(RingStatistics other) {
        Objects.requireNonNull(other, "other");
        return new RingStatistics(pairs + other.pairs, sentRecords + other.sentRecords,
                receivedRecords + other.receivedRecords, waits + other.waits, wakeUps + other.wakeUps,
                declinedConnections + other.declinedConnections);
    }
}
