package io.reactorucx.transport.handshake;

import java.util.HashMap;
import java.util.Map;

/**
 * A limit for all clients together, of which each client can take a share only.
 *
 * <p>Thread: any.
 */
public final class FairLimit {

    /** The fraction of a limit that one client can have unless a setting says otherwise. */
    public static final double HALF = 0.5;

    private final long limit;
    private final long share;
    /** The amount that each client has taken; a client that has nothing is not in here. */
    private final Map<PeerOrigin, Long> taken = new HashMap<>();
    private long count;

    /** The outcome of an attempt to take some of a limit. */
    public enum Outcome {
        ACQUIRED,
        /** All clients together have the limit, whatever the client has. */
        LIMIT_REACHED,
        /** The client has its share. */
        SHARE_REACHED
    }

    /**
     * Creates a limit of which nothing is taken.
     *
     * @param limit what all clients can have together, at least 0
     * @param share what one client can have, at least 0; more than the limit is the limit
     */
    public FairLimit(long limit, long share) {
        if (limit < 0 || share < 0) {
            throw new IllegalArgumentException("limit " + limit + ", share " + share + ": both must be at least 0");
        }
        this.limit = limit;
        this.share = Math.min(limit, share);
    }

    /** Creates a limit of which each client can have half, and at least 1. */
    public FairLimit(long limit) {
        this(limit, share(limit, HALF));
    }

    /** Returns what one client can have of a limit by a fraction of it, and at least 1. */
    public static long share(long limit, double fraction) {
        return Math.max((long) (limit * fraction), Math.min(limit, 1));
    }

    public Outcome tryAcquire(PeerOrigin origin) {
        return tryAcquire(origin, 1);
    }

    /** Takes an amount for a client, all or nothing. */
    public synchronized Outcome tryAcquire(PeerOrigin origin, long amount) {
        long own = count(origin);
        if (amount > limit - count) {
            return Outcome.LIMIT_REACHED;
        }
        if (amount > share - own) {
            return Outcome.SHARE_REACHED;
        }
        add(origin, own + amount, amount);
        return Outcome.ACQUIRED;
    }

    /** Counts one more for a client, also beyond the limits: what cannot be refused keeps out what can. */
    public synchronized void acquireAnyway(PeerOrigin origin) {
        add(origin, count(origin) + 1, 1);
    }

    /** As {@link #tryAcquire}, also for more than a share or the limit where the client, or nobody, has something. */
    public synchronized boolean tryAcquireAlone(PeerOrigin origin, long amount) {
        boolean fits = tryAcquire(origin, amount) == Outcome.ACQUIRED;
        boolean alone = !fits && count(origin) == 0 && (count == 0 || amount <= limit - count);
        if (alone) {
            add(origin, amount, amount);
        }
        return fits || alone;
    }

    private void add(PeerOrigin origin, long own, long amount) {
        taken.put(origin, own);
        count += amount;
    }

    public void release(PeerOrigin origin) {
        release(origin, 1);
    }

    /** Gives back what the client had taken. */
    public synchronized void release(PeerOrigin origin, long amount) {
        long left = count(origin) - amount;
        if (left < 0) {
            throw new IllegalStateException(origin + " gives back " + amount + ", but has " + (left + amount));
        }
        if (left == 0) {
            taken.remove(origin);
        } else {
            taken.put(origin, left);
        }
        count -= amount;
    }

    /** Returns what all clients have together. */
    public synchronized long count() {
        return count;
    }

    /** Returns what a client has. */
    public synchronized long count(PeerOrigin origin) {
        return taken.getOrDefault(origin, 0L);
    }

    /** Returns what the client with the most has. */
    public synchronized long largestCount() {
        return taken.values().stream().mapToLong(Long::longValue).max().orElse(0);
    }

    public long limit() {
        return limit;
    }

    public long share() {
        return share;
    }
}
