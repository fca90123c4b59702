package io.reactorucx.internal.command;

import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The timer for short actions that cannot wait in an engine's queue. Its thread ends when nothing is scheduled.
 *
 * <p>Thread: any.
 */
public final class SharedTimer {

    private static final ScheduledThreadPoolExecutor EXECUTOR = executor();

    private SharedTimer() {
    }

    private static ScheduledThreadPoolExecutor executor() {
        ScheduledThreadPoolExecutor made = new ScheduledThreadPoolExecutor(1,
                Thread.ofPlatform().daemon().name("reactor-ucx-timer").factory());
        made.setKeepAliveTime(1, TimeUnit.SECONDS);
        made.allowCoreThreadTimeOut(true);
        made.setRemoveOnCancelPolicy(true);
        return made;
    }

    /** Runs an action after a delay; the future cancels it. */
    public static Future<?> schedule(long delayNanos, Runnable action) {
        return EXECUTOR.schedule(action, delayNanos, TimeUnit.NANOSECONDS);
    }
}
