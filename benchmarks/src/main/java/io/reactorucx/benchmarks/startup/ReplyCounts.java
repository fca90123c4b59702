package io.reactorucx.benchmarks.startup;

import java.util.Arrays;
import java.util.stream.Collectors;

/** Replies of a client, counted in intervals that begin with the first one. */
final class ReplyCounts {

    private final long intervalNanos;
    private final long[] counts;
    private long firstNanos;
    private long endNanos;
    private int interval = -1;

    ReplyCounts(long intervalNanos, int intervals) {
        this.intervalNanos = intervalNanos;
        this.counts = new long[intervals];
    }

    /** Counts a reply. One that comes after the last interval is left out. */
    void add(long nowNanos) {
        if (interval < 0) {
            firstNanos = nowNanos;
            endNanos = nowNanos + intervalNanos;
            interval = 0;
        }
        while (nowNanos - endNanos >= 0 && !isFull()) {
            endNanos += intervalNanos;
            interval++;
        }
        if (!isFull()) {
            counts[interval]++;
        }
    }

    /** Whether the last interval is over. */
    boolean isFull() {
        return interval == counts.length;
    }

    /** The time of the first reply, the length of an interval in nanoseconds, and the replies in each. */
    String toLine() {
        return firstNanos + " " + intervalNanos + " "
                + Arrays.stream(counts).mapToObj(Long::toString).collect(Collectors.joining(","));
    }
}
