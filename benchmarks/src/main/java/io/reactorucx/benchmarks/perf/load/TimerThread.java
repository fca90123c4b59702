package io.reactorucx.benchmarks.perf.load;

import io.reactorucx.UcxConnection;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import reactor.core.scheduler.Scheduler;

/**
 * A thread that sleeps until an operation is due and then wakes the engine. The wake-up is part of the measured time.
 */
public final class TimerThread implements Pace {

    private final Scheduler engine;
    private final Thread thread;
    private volatile long startNanos;
    private volatile double perSecond;
    private volatile boolean ended;
    private volatile Runnable tick = () -> { };

    public TimerThread(UcxConnection connection) {
        engine = connection.scheduler();
        thread = Thread.ofPlatform().daemon().name("perf-timer").start(this::run);
        connection.onDispose().subscribe(ignored -> { }, error -> end(), this::end);
    }

    public long threadId() {
        return thread.threadId();
    }

    @Override
    public void start(Runnable due, long nowNanos, double rate) {
        tick = due;
        startNanos = nowNanos;
        perSecond = rate;
        LockSupport.unpark(thread);
    }

    @Override
    public void stop() {
        perSecond = 0;
    }

    private void end() {
        ended = true;
        perSecond = 0;
        LockSupport.unpark(thread);
    }

    private void run() {
        while (!ended) {
            double rate = perSecond;
            if (rate == 0) {
                LockSupport.park(this);
            } else {
                tickUntilStopped(startNanos, TimeUnit.SECONDS.toNanos(1) / rate);
            }
        }
    }

    /** Wakes the engine when operations are due, by the same schedule from which they are timed. */
    private void tickUntilStopped(long firstNanos, double intervalNanos) {
        for (long number = 0; perSecond != 0; number++) {
            long due = firstNanos + (long) (number * intervalNanos);
            for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
                LockSupport.parkNanos(this, left);
            }
            engine.schedule(tick);
            // The same tick starts all operations that have become due.
            number = Math.max(number, (long) ((System.nanoTime() - firstNanos) / intervalNanos));
        }
    }
}
