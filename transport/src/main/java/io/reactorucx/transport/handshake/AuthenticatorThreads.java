package io.reactorucx.transport.handshake;

import io.reactorucx.transport.config.AuthenticatorLimits;
import java.util.concurrent.FutureTask;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The threads on which the authenticators of some resources run; they are no threads of the application. Strangers
 * cause the steps, so the number of threads is limited, and the number of first steps that wait: a first step beyond is
 * refused. A handshake whose first step was taken may do the others, one at a time, before the first ones of others.
 *
 * <p>Thread: any.
 */
public final class AuthenticatorThreads implements AuthenticatorExecutor {

    private static final long IDLE_SECONDS = 10;

    private final ThreadPoolExecutor threads;
    private final Semaphore firstSteps;
    private final int maxQueued;
    private final AtomicLong refused = new AtomicLong();
    private final AtomicLong taken = new AtomicLong();

    /** Creates threads that start when they are needed, and end after 10 s without a step. */
    public AuthenticatorThreads(String name, AuthenticatorLimits limits) {
        AtomicInteger number = new AtomicInteger();
        threads = new ThreadPoolExecutor(limits.threads(), limits.threads(), IDLE_SECONDS, TimeUnit.SECONDS,
                new PriorityBlockingQueue<>(),
                steps -> new StepThread(steps, name + "-" + number.getAndIncrement()));
        threads.allowCoreThreadTimeOut(true);
        maxQueued = limits.queuedSteps();
        firstSteps = new Semaphore(limits.threads() + limits.queuedSteps());
    }

    @Override
    public Runnable execute(Runnable step, boolean first) {
        if (first && !firstSteps.tryAcquire()) {
            refused.incrementAndGet();
            throw new RejectedExecutionException("too many steps wait");
        }
        StepTask task = new StepTask(step, first);
        try {
            threads.execute(task);
        } catch (RejectedExecutionException e) {
            task.cancel(false); // The resources are closed.
            throw e;
        }
        return () -> {
            // A step may end its own handshake, and must not interrupt itself for that.
            task.cancel(!(Thread.currentThread() instanceof StepThread));
            threads.remove(task);
        };
    }

    /** Returns the number of steps that wait for a thread. */
    public int queued() {
        return threads.getQueue().size();
    }

    /** Returns the maximum number of first steps that wait for a thread. */
    public int maxQueued() {
        return maxQueued;
    }

    /** Returns the number of steps that were refused, because too many waited. */
    public long refused() {
        return refused.get();
    }

    /** Interrupts running steps, and ends the threads. */
    public void close() {
        threads.shutdownNow();
    }

    private final class StepTask extends FutureTask<Void> implements Comparable<StepTask> {

        private final boolean first;
        private final long number = taken.getAndIncrement();

        StepTask(Runnable step, boolean first) {
            super(step, null);
            this.first = first;
        }

        /** Later steps come before first ones: who floods a server with handshakes does not hold up those under way. */
        @Override
        public int compareTo(StepTask other) {
            return first == other.first ? Long.compare(number, other.number) : Boolean.compare(first, other.first);
        }

        @Override
        protected void done() {
            if (first) {
                firstSteps.release();
            }
        }
    }

    private static final class StepThread extends Thread {

        StepThread(Runnable steps, String name) {
            super(steps, name);
            setDaemon(true);
        }
    }
}
