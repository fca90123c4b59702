package io.reactorucx.engine;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * An action that an engine runs on its thread once a delay has passed, see {@link EngineTimer#schedule}.
 *
 * <p><b>Threading:</b> any thread. <b>Errors:</b> what the action throws is logged.
 */
public final class Timeout {

    private static final int PENDING = 0;
    private static final int EXPIRED = 1;
    private static final int CANCELLED = 2;

    private final Consumer<Timeout> whenCancelled;
    private final long deadlineNanos;
    private final Runnable action;
    private final AtomicInteger state = new AtomicInteger(PENDING);
    /** Set when the queue takes it: orders timeouts of one deadline. */
    private long sequence;

    Timeout(Consumer<Timeout> whenCancelled, long deadlineNanos, Runnable action) {
        this.whenCancelled = whenCancelled;
        this.deadlineNanos = deadlineNanos;
        this.action = action;
    }

    /**
     * Cancels the action unless it has begun to run. The engine forgets it at once where the engine's thread calls,
     * else in its next round.
     *
     * @return whether this call cancelled it
     */
    public boolean cancel() {
        if (!state.compareAndSet(PENDING, CANCELLED)) {
            return false;
        }
        whenCancelled.accept(this);
        return true;
    }

    /**
     * {@return whether the action has neither begun to run nor been cancelled; one that its engine dropped by closing
     * stays pending}
     */
    public boolean isPending() {
        return state.get() == PENDING;
    }

    /** Runs the action; returns false when it was cancelled. */
    boolean expire() {
        if (!state.compareAndSet(PENDING, EXPIRED)) {
            return false;
        }
        action.run();
        return true;
    }

    /** Nanoseconds from a time to the deadline, 0 or less when it has passed. */
    long remainingNanos(long nowNanos) {
        return deadlineNanos - nowNanos;
    }

    void sequence(long value) {
        sequence = value;
    }

    static int compare(Timeout a, Timeout b) {
        int byDeadline = Long.signum(a.deadlineNanos - b.deadlineNanos);
        return byDeadline != 0 ? byDeadline : Long.compare(a.sequence, b.sequence);
    }
}
