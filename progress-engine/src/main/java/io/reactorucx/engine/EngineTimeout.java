package io.reactorucx.engine;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** A timeout of an {@link EngineTimer}. Thread: any, except where a method says otherwise. */
final class EngineTimeout implements Timeout {

    private static final int PENDING = 0;
    private static final int EXPIRED = 1;
    private static final int CANCELLED = 2;

    private final Consumer<EngineTimeout> whenCancelled;
    private final long deadlineNanos;
    private final Runnable action;
    private final AtomicInteger state = new AtomicInteger(PENDING);
    /** Set when the queue takes it: orders timeouts of one deadline. */
    private long sequence;

    EngineTimeout(Consumer<EngineTimeout> whenCancelled, long deadlineNanos, Runnable action) {
        this.whenCancelled = whenCancelled;
        this.deadlineNanos = deadlineNanos;
        this.action = action;
    }

    @Override
    public boolean cancel() {
        if (!state.compareAndSet(PENDING, CANCELLED)) {
            return false;
        }
        whenCancelled.accept(this);
        return true;
    }

    @Override
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

    static int compare(EngineTimeout a, EngineTimeout b) {
        int byDeadline = Long.signum(a.deadlineNanos - b.deadlineNanos);
        return byDeadline != 0 ? byDeadline : Long.compare(a.sequence, b.sequence);
    }
}
