package io.reactorucx.internal.concurrent;

import io.reactorucx.engine.ProgressEngine;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import reactor.core.Disposable;
import reactor.core.scheduler.Schedulers;

/**
 * Runs actions on an engine's thread after a delay.
 *
 * <p>Thread: any.
 */
public final class EngineTimer {

    private EngineTimer() {
    }

    /** Schedules an action, which does not run if it is disposed of or the engine closes before. */
    public static Disposable after(ProgressEngine engine, Duration delay, Runnable action) {
        return Schedulers.parallel().schedule(
                () -> new RetryingCommand(engine, worker -> action.run(), closed -> { }).submit(), delay.toMillis(),
                TimeUnit.MILLISECONDS);
    }
}
