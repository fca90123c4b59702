package io.reactorucx.engine;

import io.reactorucx.core.UcpWorker;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The sleep of an engine, until there is something to do.
 *
 * <p>Thread: engine, but for {@link #wakeIfParked()}, {@link #wake()} and {@link #isParked()}.
 */
final class EngineSleep {

    /** Polls of a source in a round: a look at memory takes a fraction of the time of one at the worker. */
    private static final int POLLS = 16;
    /** Rounds without work after which a source is polled once in each. */
    private static final int BUSY_ROUNDS = 256;

    private final EngineConfig config;
    private final EngineTimer timer;
    private final EngineCounters counters;
    private final BooleanSupplier nothingToDo;
    private final ParkingState parking = new ParkingState();
    private @Nullable PolledSource source;
    private int sourceRounds;
    private int idleRounds;

    EngineSleep(EngineConfig config, EngineTimer timer, EngineCounters counters, BooleanSupplier nothingToDo) {
        this.config = config;
        this.timer = timer;
        this.counters = counters;
        this.nothingToDo = nothingToDo;
    }

    /** Sets what the engine polls beside its worker. */
    void source(PolledSource added) {
        if (source != null) {
            throw new IllegalStateException("pollBeside: the engine has a source already");
        }
        source = added;
    }

    /** Polls what the engine has beside its worker, and returns how much was done. */
    int poll() {
        PolledSource polled = source;
        if (polled == null) {
            return 0;
        }
        int work = polled.poll();
        if (sourceRounds > 0) {
            sourceRounds--;
            for (int i = 1; work == 0 && i < POLLS; i++) {
                work = polled.poll();
            }
        }
        if (work > 0) {
            sourceRounds = BUSY_ROUNDS;
        }
        return work;
    }

    /** The worker is gone. */
    void engineClosed() {
        PolledSource polled = source;
        if (polled != null) {
            polled.engineClosed();
        }
    }

    /** A round has done something. */
    void busy() {
        idleRounds = 0;
    }

    /** A round has done nothing: waits by the configured strategy, at most until a time. */
    void idle(UcpWorker worker, long deadlineNanos) {
        if (idleRounds < Integer.MAX_VALUE) {
            idleRounds++;
        }
        boolean adaptive = config.waitStrategy() == WaitStrategy.ADAPTIVE;
        if (config.waitStrategy() == WaitStrategy.BUSY_SPIN || (adaptive && idleRounds <= config.spins())) {
            Thread.onSpinWait();
        } else if (adaptive && idleRounds - config.spins() <= config.yields()) {
            Thread.yield();
        } else {
            await(worker, deadlineNanos);
        }
    }

    /** Sleeps in the worker, at most until a time, unless there is something to do. */
    private void await(UcpWorker worker, long deadlineNanos) {
        if (!park(worker)) {
            return;
        }
        try {
            long now = System.nanoTime();
            worker.await(Math.min(longestNanos(now), deadlineNanos - now));
        } finally {
            unpark();
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
            armed = nothingToDo.getAsBoolean() && (source == null || source.park()) && worker.arm();
        } finally {
            if (!armed) {
                unpark();
            }
        }
        if (armed) {
            counters.slept();
        }
        return armed;
    }

    void unpark() {
        parking.unpark();
        PolledSource polled = source;
        if (polled != null) {
            polled.unpark();
        }
    }

    /** Returns the longest sleep from a time on. */
    long longestNanos(long nowNanos) {
        return Math.min(config.maxSleep().toNanos(), timer.nanosToNext(nowNanos));
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
