package io.reactorucx.netty.internal;

/**
 * How long a loop looks for work before it sleeps: half as long after each time that was in vain, as long as it may
 * once work has come within that time. Not at all on a single processor, which the peer or the kernel needs to make
 * work.
 *
 * <p>Thread: loop.
 */
public final class SpinPolicy {

    private final long longestNanos;
    private long nanos;
    private long idleSince;

    public SpinPolicy(long longestNanos, int processors) {
        this.longestNanos = processors > 1 ? longestNanos : 0;
        this.nanos = this.longestNanos;
    }

    /** The loop has nothing to do from now on. Returns until when it spins. */
    public long startIdle(long nowNanos) {
        idleSince = nowNanos;
        return nowNanos + nanos;
    }

    /** The loop has spun in vain. */
    public void spunInVain() {
        nanos >>= 1;
    }

    /** Work has come, in the spin or after a sleep. */
    public void workCame(long nowNanos) {
        if (nowNanos - idleSince <= longestNanos) {
            nanos = longestNanos;
        }
    }
}
