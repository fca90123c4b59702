package io.reactorucx.transport.command;

import io.reactorucx.core.UcpWorker;
import io.reactorucx.engine.Command;
import io.reactorucx.engine.CommandExecutor;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * An executor that runs tasks on an engine's thread. A task that the engine rejects at once is rejected with an
 * exception, as executors do.
 *
 * <p>Thread: any.
 */
public final class EngineExecutor implements Executor {

    private final CommandExecutor engine;

    public EngineExecutor(CommandExecutor engine) {
        this.engine = engine;
    }

    @Override
    public void execute(Runnable task) {
        TaskCommand command = new TaskCommand(task);
        engine.execute(command);
        RuntimeException cause = command.rejection;
        if (cause != null) {
            throw new RejectedExecutionException(cause);
        }
    }

    private static final class TaskCommand implements Command {

        private final Runnable task;
        private volatile @Nullable RuntimeException rejection;

        TaskCommand(Runnable task) {
            this.task = task;
        }

        @Override
        public void run(UcpWorker worker) {
            task.run();
        }

        @Override
        public void reject(RuntimeException cause) {
            rejection = cause;
        }
    }
}
