package io.reactorucx.transport.command;

import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.engine.CommandExecutor;
import io.reactorucx.engine.Timeout;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * An action that runs on an engine's thread after a delay, by the engine's own timer; not at all once it is cancelled,
 * or the engine closes.
 *
 * <p>Thread: any.
 */
public final class DelayedAction {

    private @Nullable Timeout timeout;
    private boolean cancelled;

    private DelayedAction() {
    }

    /** Schedules an action; the delay begins on the engine's thread. */
    public static DelayedAction after(CommandExecutor engine, Duration delay, Runnable action) {
        DelayedAction scheduled = new DelayedAction();
        if (engine.isEngineThread()) {
            scheduled.schedule(engine, delay, action);
        } else {
            new RetryingCommand(engine, worker -> scheduled.schedule(engine, delay, action), closed -> { }, true)
                    .submit();
        }
        return scheduled;
    }

    private synchronized void schedule(CommandExecutor engine, Duration delay, Runnable action) {
        if (!cancelled) {
            try {
                timeout = engine.schedule(delay.toNanos(), action);
            } catch (UcxClosedException e) {
                cancelled = true; // An engine that closes ends its connections by itself.
            }
        }
    }

    /** Cancels the action unless it has begun to run. */
    public synchronized void cancel() {
        cancelled = true;
        if (timeout != null) {
            timeout.cancel();
        }
    }
}
