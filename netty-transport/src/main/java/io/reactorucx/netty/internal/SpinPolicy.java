package io.reactorucx.netty.internal;

/**
 * How long a loop looks for work before it sleeps: half as long after each time that was in vain, as long as it may
 * once work has come within that time. Not at all on a single processor, which the peer or the kernel needs to make
 * work.
 *
 * <p>Now and then it looks for several times as long: two loops that talk to each other, and sleep, each take longer to
 * answer than the other one spins, and would sleep for each answer from then on.
 *
 * <p>Thread: loop.
 */
public final class SpinPolicy {

    /** One look in so many is a long one, and so many times as long, up to what waking a loop takes at most. */
    private static final int LOOKS_PER_LONG_ONE = 16;
    private static final int LENGTHS = 4;
    private static final long WAKING_NANOS = 1_000_000;

    private final long longestNanos;
    private final long longLookNanos;
    private long nanos;
    private long idleSince;
    /** As long after {@link #idleSince} work is soon. */
    private long soonNanos;
    private int looks;

    public SpinPolicy(long longestNanos, int processors) {
        this.longestNanos = processors > 1 ? longestNanos : 0;
        this.longLookNanos = Math.max(this.longestNanos, Math.min(LENGTHS * this.longestNanos, WAKING_NANOS));
        this.nanos = this.longestNanos;
    }

    /** The loop has nothing to do from now on. Returns until when it spins. */
    public long startIdle(long nowNanos) {
        idleSince = nowNanos;
        boolean isLong = ++looks % LOOKS_PER_LONG_ONE == 0;
        soonNanos = isLong ? longLookNanos : longestNanos;
        return nowNanos + (isLong ? soonNanos : nanos);
    }

    /** The loop has spun in vain. */
    public void spunInVain() {
        nanos >>= 1;
    }

    /** Work has come, in the spin or after a sleep. */
    public void workCame(long nowNanos) {
        if (nowNanos - idleSince <= soonNanos) {
            nanos = longestNanos;
        }
    }
}
