package io.reactorucx.transport.command;

import io.reactorucx.core.UcpWorker;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.engine.Command;
import io.reactorucx.engine.CommandExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * An action on an engine's thread that is retried while the engine's queue is full. Operations fail in that case; a
 * connection's own steps must not be lost, and their number is bounded.
 *
 * <p>Thread: any.
 *
 * @param engine the engine
 * @param action runs on the engine's thread
 * @param whenEngineClosed runs in place of the action, on any thread, once the engine is closed
 * @param isUrgent whether it may overtake what was submitted before
 */
public record RetryingCommand(CommandExecutor engine, Consumer<UcpWorker> action,
        Consumer<RuntimeException> whenEngineClosed, boolean isUrgent) implements Command {

    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** Creates a command that runs after what was submitted before. */
    public RetryingCommand(CommandExecutor engine, Consumer<UcpWorker> action,
            Consumer<RuntimeException> whenEngineClosed) {
        this(engine, action, whenEngineClosed, false);
    }

    /** Executes a command again after 1 ms: the engine's queue was full. */
    public static void retry(CommandExecutor engine, Command command) {
        if (!engine.executeLater(RETRY_NANOS, command)) {
            SharedTimer.schedule(RETRY_NANOS, () -> engine.execute(command));
        }
    }

    public void submit() {
        engine.execute(this);
    }

    @Override
    public void run(UcpWorker worker) {
        action.accept(worker);
    }

    @Override
    public void reject(RuntimeException cause) {
        if (cause instanceof UcxClosedException) {
            whenEngineClosed.accept(cause);
        } else {
            retry(engine, this);
        }
    }
}
