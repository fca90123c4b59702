package io.reactorucx.internal.concurrent;

import io.reactorucx.core.UcxClosedException;
import io.reactorucx.engine.ProgressEngine;
import io.reactorucx.engine.Timeout;
import java.time.Duration;
import reactor.core.Disposable;
import reactor.core.Disposables;

/** Runs actions on an engine's thread after a delay, by the engine's own timer. Thread: any. */
public final class DelayedAction {

    private DelayedAction() {
    }

    /**
     * Runs an action on the engine's thread after a delay; not at all once it is disposed, or the engine closes.
     *
     * @return cancels the action
     */
    public static Disposable after(ProgressEngine engine, Duration delay, Runnable action) {
        Disposable.Swap scheduled = Disposables.swap();
        if (engine.isEngineThread()) {
            schedule(engine, delay, action, scheduled);
        } else {
            new RetryingCommand(engine, worker -> schedule(engine, delay, action, scheduled), closed -> { }, true)
                    .submit();
        }
        return scheduled;
    }

    private static void schedule(ProgressEngine engine, Duration delay, Runnable action, Disposable.Swap scheduled) {
        if (scheduled.isDisposed()) {
            return;
        }
        try {
            Timeout timeout = engine.timer().schedule(delay.toNanos(), action);
            scheduled.update(timeout::cancel);
        } catch (UcxClosedException e) {
            scheduled.dispose(); // An engine that closes ends its connections by itself.
        }
    }
}
