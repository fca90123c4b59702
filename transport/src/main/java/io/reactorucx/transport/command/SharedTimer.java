package io.reactorucx.transport.command;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The timer for short actions that cannot wait in an engine's queue. The JDK's timer of futures keeps them, which takes
 * and gives them up without a lock: an engine never waits for it. Threads of its own run them, and end when idle.
 *
 * <p>Thread: any.
 */
public final class SharedTimer {

    /** An action may signal a user's subscriber; the others go on beside one that stays there. */
    private static final int THREADS = 2;
    private static final Executor RUNNER = runner();

    private SharedTimer() {
    }

    private static Executor runner() {
        ThreadPoolExecutor made = new ThreadPoolExecutor(THREADS, THREADS, 1, TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(), Thread.ofPlatform().daemon().name("reactor-ucx-timer-", 0).factory());
        made.allowCoreThreadTimeOut(true);
        return made;
    }

    /** Runs an action after a delay; the future cancels it. */
    public static Future<?> schedule(long delayNanos, Runnable action) {
        CompletableFuture<Void> due = new CompletableFuture<>();
        due.completeOnTimeout(null, delayNanos, TimeUnit.NANOSECONDS).thenRunAsync(action, RUNNER);
        return due;
    }
}
