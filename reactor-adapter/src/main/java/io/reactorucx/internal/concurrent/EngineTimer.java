package io.reactorucx.internal.concurrent;

import io.reactorucx.engine.ProgressEngine;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import reactor.core.Disposable;
import reactor.core.scheduler.Schedulers;

/** Runs actions on an engine's thread after a while. Thread: any. */
public final class EngineTimer {

    private EngineTimer() {
    }

    /** Runs an action on the engine's thread after a delay; not at all once it is disposed, or the engine is closed. */
    public static Disposable after(ProgressEngine engine, Duration delay, Runnable action) {
        return Schedulers.parallel().schedule(
                () -> new RetryingCommand(engine, worker -> action.run(), closed -> { }).submit(), delay.toMillis(),
                TimeUnit.MILLISECONDS);
    }
}
