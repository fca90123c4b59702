package io.reactorucx.transport.handshake;

import io.reactorucx.transport.config.AuthenticatorLimits;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.SequencedMap;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The threads on which the authenticators of some resources run; they are no threads of the application. Strangers
 * cause the steps, so the number of threads is limited, and the number of first steps that run or wait: a first step
 * beyond, or beyond its client's share, is refused. A handshake whose first step was taken may do the others, one at a
 * time. Where steps wait, later ones and first ones alternate, and of each kind the clients have their turns: who
 * floods a server with steps waits for them, and holds up another client by one of each kind.
 *
 * <p>Thread: any.
 */
public final class AuthenticatorThreads implements AuthenticatorExecutor {

    private static final long IDLE_SECONDS = 10;

    private final ThreadPoolExecutor threads;
    private final FairLimit firstSteps;
    private final int maxQueued;
    private final AtomicLong refused = new AtomicLong();
    /** Guarded by this, as the next two fields. */
    private final Turns first = new Turns();
    private final Turns later = new Turns();
    private boolean laterTaken;
    /** Waits in the queue of the threads, once for each step: they choose the step when they are free. */
    private final Runnable next = this::runNext;

    /**
     * Creates threads that start when they are needed, and end after 10 s without a step.
     *
     * @param share the fraction of the first steps that one client can have
     */
    public AuthenticatorThreads(String name, AuthenticatorLimits limits, double share) {
        AtomicInteger number = new AtomicInteger();
        threads = new ThreadPoolExecutor(limits.threads(), limits.threads(), IDLE_SECONDS, TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                steps -> new StepThread(steps, name + "-" + number.getAndIncrement()));
        threads.allowCoreThreadTimeOut(true);
        maxQueued = limits.queuedSteps();
        int all = limits.threads() + limits.queuedSteps();
        firstSteps = new FairLimit(all, FairLimit.share(all, share));
    }

    /** Returns what runs the steps of one client. */
    public AuthenticatorExecutor of(PeerOrigin client) {
        return (step, isFirst) -> execute(client, step, isFirst);
    }

    /** Runs a step of a peer that is one with all others of which nothing is known. */
    @Override
    public Runnable execute(Runnable step, boolean first) {
        return execute(PeerOrigin.UNKNOWN, step, first);
    }

    private Runnable execute(PeerOrigin client, Runnable step, boolean isFirst) {
        if (isFirst && firstSteps.tryAcquire(client) != FairLimit.Outcome.ACQUIRED) {
            refused.incrementAndGet();
            throw new RejectedExecutionException("too many steps wait");
        }
        StepTask task = new StepTask(client, step, isFirst);
        synchronized (this) {
            task.turns().add(task);
        }
        try {
            threads.execute(next);
        } catch (RejectedExecutionException e) {
            // The resources are closed.
            task.cancel(false);
            remove(task);
            throw e;
        }
        return () -> {
            // A step may end its own handshake, and must not interrupt itself for that.
            task.cancel(!(Thread.currentThread() instanceof StepThread));
            if (remove(task)) {
                threads.remove(next);
            }
        };
    }

    private synchronized boolean remove(StepTask task) {
        return task.turns().remove(task);
    }

    private void runNext() {
        StepTask task = poll();
        if (task != null) {
            task.run();
        }
    }

    /** Returns the next step; null when that for which the thread was called was cancelled meanwhile. */
    private synchronized @Nullable StepTask poll() {
        StepTask task = (laterTaken ? first : later).poll();
        if (task == null) {
            task = (laterTaken ? later : first).poll();
        }
        laterTaken = task != null && !task.first;
        return task;
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

    private final class StepTask extends FutureTask<Void> {

        private final PeerOrigin client;
        private final boolean first;

        StepTask(PeerOrigin client, Runnable step, boolean first) {
            super(step, null);
            this.client = client;
            this.first = first;
        }

        Turns turns() {
            return first ? AuthenticatorThreads.this.first : later;
        }

        @Override
        protected void done() {
            if (first) {
                firstSteps.release(client);
            }
        }
    }

    /** Steps that wait, by client in the order of their turns. */
    private static final class Turns {

        private final SequencedMap<PeerOrigin, Queue<StepTask>> waiting = new LinkedHashMap<>();

        void add(StepTask task) {
            waiting.computeIfAbsent(task.client, client -> new ArrayDeque<>()).add(task);
        }

        boolean remove(StepTask task) {
            Queue<StepTask> steps = waiting.get(task.client);
            if (steps == null || !steps.remove(task)) {
                return false;
            }
            if (steps.isEmpty()) {
                waiting.remove(task.client);
            }
            return true;
        }

        /** Removes the first step of the client whose turn it is, which goes to the end when it has others. */
        @Nullable StepTask poll() {
            Map.Entry<PeerOrigin, Queue<StepTask>> turn = waiting.pollFirstEntry();
            if (turn == null) {
                return null;
            }
            StepTask task = turn.getValue().remove();
            if (!turn.getValue().isEmpty()) {
                waiting.put(turn.getKey(), turn.getValue());
            }
            return task;
        }
    }

    private static final class StepThread extends Thread {

        StepThread(Runnable steps, String name) {
            super(steps, name);
            setDaemon(true);
        }
    }
}
