package io.reactorucx.engine;

import io.reactorucx.core.UcpWorker;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs actions on an engine's thread after a delay, see {@link CommandExecutor#schedule}.
 *
 * <p>A sleeping engine is woken once for each deadline, by at most 1 ms too late; a busy one looks at the clock every
 * few rounds. An engine that closes drops the actions that are pending.
 *
 * <p><b>Threading:</b> any thread; the call of another thread takes a place in the engine's queue of commands.
 * <b>Errors:</b> what an action throws is logged.
 */
final class EngineTimer {

    /** Largest number of timeouts that may be pending. */
    static final int MAX_TIMEOUTS = 1 << 20;

    /**
     * The clock is read once in so many rounds without work: reading it in each one would cost a third of an idle
     * round. Each piece of work counts as one more round, because a round may have a hundred that take long.
     */
    private static final int ROUNDS_PER_LOOK = 16;

    private final ProgressEngine engine;
    private final int capacity;
    private final AtomicInteger reserved = new AtomicInteger();
    private final Consumer<EngineTimeout> whenCancelled = this::forget;
    private final TreeSet<EngineTimeout> pending = new TreeSet<>(EngineTimeout::compare);
    /** The first of those that are pending. */
    private @Nullable EngineTimeout next;
    private long sequence;
    private int roundsToLook;

    EngineTimer(ProgressEngine engine, int capacity) {
        this.engine = engine;
        this.capacity = capacity;
    }

    /** See {@link CommandExecutor#schedule}; at most {@value #MAX_TIMEOUTS} timeouts may be pending. Thread: any. */
    Timeout schedule(long delayNanos, Runnable action) {
        Objects.requireNonNull(action, "action");
        if (delayNanos < 0 || delayNanos > Long.MAX_VALUE / 2) {
            throw new IllegalArgumentException("delayNanos " + delayNanos + ": must be in 0.." + Long.MAX_VALUE / 2);
        }
        if (engine.isClosing()) {
            throw new UcxClosedException("schedule", "the engine " + engine.name());
        }
        if (reserved.incrementAndGet() > capacity) {
            reserved.decrementAndGet();
            throw new UcxException(UcxStatus.BUSY, "schedule", null,
                    capacity + " timeouts of the engine " + engine.name() + " are pending");
        }
        EngineTimeout timeout = new EngineTimeout(whenCancelled, System.nanoTime() + delayNanos, action);
        if (engine.isEngineThread()) {
            add(timeout);
        } else {
            Scheduling command = new Scheduling(timeout);
            engine.execute(command);
            command.throwIfRejected();
        }
        return timeout;
    }

    /** {@return number of timeouts that are pending, cancelled ones included until the engine has forgotten them} */
    int pending() {
        return reserved.get();
    }

    /** A timeout. Thread: any, except where a method says otherwise. */
    private static final class EngineTimeout implements Timeout {

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

    /** Brings a timeout from another thread to the engine's. */
    private final class Scheduling implements Command {

        private final EngineTimeout timeout;
        private volatile @Nullable RuntimeException rejection;

        Scheduling(EngineTimeout timeout) {
            this.timeout = timeout;
        }

        @Override
        public void run(UcpWorker worker) {
            add(timeout);
        }

        @Override
        public void reject(RuntimeException cause) {
            reserved.decrementAndGet();
            rejection = cause;
        }

        void throwIfRejected() {
            RuntimeException cause = rejection;
            if (cause != null) {
                throw cause;
            }
        }
    }

    /** Removes a timeout that was cancelled on any thread. */
    private final class Removal implements Command {

        private final EngineTimeout timeout;

        Removal(EngineTimeout timeout) {
            this.timeout = timeout;
        }

        @Override
        public void run(UcpWorker worker) {
            remove(timeout);
        }

        @Override
        public void reject(RuntimeException cause) {
            // The timeout stays, cancelled, until its deadline or the engine's end.
        }
    }

    /** Any thread. */
    private void forget(EngineTimeout timeout) {
        if (engine.isEngineThread()) {
            remove(timeout);
        } else {
            engine.execute(new Removal(timeout));
        }
    }

    private void add(EngineTimeout timeout) {
        if (timeout.isPending()) {
            timeout.sequence(sequence++);
            pending.add(timeout);
            next = pending.first();
        } else {
            reserved.decrementAndGet();
        }
    }

    private void remove(EngineTimeout timeout) {
        if (pending.remove(timeout)) {
            reserved.decrementAndGet();
            next = pending.isEmpty() ? null : pending.first();
        }
    }

    /**
     * Runs what is due if this round, which has done so much work, reads the clock, at most a number of timeouts.
     * Returns how many ran. Thread: engine.
     */
    int poll(int work, int max) {
        if (next == null) {
            return 0;
        }
        roundsToLook -= 1 + work;
        if (roundsToLook > 0) {
            return 0;
        }
        roundsToLook = ROUNDS_PER_LOOK;
        long now = System.nanoTime();
        int ran = 0;
        int due = 0;
        for (EngineTimeout first = next; first != null && first.remainingNanos(now) <= 0; first = next) {
            if (++due > max) {
                readClockInNextRound();
                break;
            }
            remove(first);
            ran += run(first) ? 1 : 0;
        }
        return ran;
    }

    private boolean run(EngineTimeout due) {
        try {
            return due.expire();
        } catch (Throwable t) {
            engine.caught("the action of a timeout threw", t);
            return true;
        }
    }

    void readClockInNextRound() {
        roundsToLook = 0;
    }

    /** Nanoseconds from a time to the next deadline, the largest number without one. Thread: engine. */
    long nanosToNext(long nowNanos) {
        return next == null ? Long.MAX_VALUE : next.remainingNanos(nowNanos);
    }

    /** Drops all of them, when the engine has closed. */
    void clear() {
        reserved.addAndGet(-pending.size());
        pending.clear();
        next = null;
    }
}
