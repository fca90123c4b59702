package io.reactorucx.engine;

import io.reactorucx.core.UcpWorker;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * The sleep of an engine, until there is something to do.
 *
 * <p>Thread: engine, but for {@link #wakeIfParked()}, {@link #wake()} and {@link #isParked()}.
 */
final class EngineSleep {

    private final long maxNanos;
    private final EngineTimer timer;
    private final EngineCounters counters;
    private final BooleanSupplier nothingToDo;
    private final ParkingState parking = new ParkingState();

    EngineSleep(Duration max, EngineTimer timer, EngineCounters counters, BooleanSupplier nothingToDo) {
        this.maxNanos = max.toNanos();
        this.timer = timer;
        this.counters = counters;
        this.nothingToDo = nothingToDo;
    }

    /** Sleeps in the worker, at most until a time, unless there is something to do. */
    void await(UcpWorker worker, long deadlineNanos) {
        if (!park(worker)) {
            return;
        }
        try {
            long now = System.nanoTime();
            worker.await(Math.min(longestNanos(now), deadlineNanos - now));
        } finally {
            parking.unpark();
        }
    }

    /** Arms the worker for a sleep; false if there is something to do before. */
    boolean park(UcpWorker worker) {
        timer.readClockInNextRound();
        if (timer.nanosToNext(System.nanoTime()) <= 0 || !parking.park()) {
            return false;
        }
        boolean armed = false;
        try {
            // From here on a thread that queues a command signals the worker; commands that were queued before are
            // found by this check.
            armed = nothingToDo.getAsBoolean() && worker.arm();
        } finally {
            if (!armed) {
                parking.unpark();
            }
        }
        if (armed) {
            counters.slept();
        }
        return armed;
    }

    void unpark() {
        parking.unpark();
    }

    /** Returns the longest sleep from a time on. */
    long longestNanos(long nowNanos) {
        return Math.min(maxNanos, timer.nanosToNext(nowNanos));
    }

    /** See {@link ParkingState#wakeIfParked()}. */
    boolean wakeIfParked() {
        return parking.wakeIfParked();
    }

    /** Returns whether the engine sleeps, or is about to, and has not been woken. */
    boolean isParked() {
        return parking.isParked();
    }

    /** See {@link ParkingState#wake()}. */
    boolean wake() {
        return parking.wake();
    }
}
