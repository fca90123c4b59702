package io.reactorucx.transport.command;

import io.reactorucx.core.UcpWorker;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.engine.Command;
import io.reactorucx.engine.CommandExecutor;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/**
 * A command whose submissions coalesce: the action runs once on the engine's thread for all submissions since its last
 * run, so at most one entry of the engine's queue is taken.
 *
 * <p>Thread: any.
 */
public final class CoalescedCommand implements Command {

    private static final AtomicIntegerFieldUpdater<CoalescedCommand> SUBMITTED =
            AtomicIntegerFieldUpdater.newUpdater(CoalescedCommand.class, "submitted");

    private final CommandExecutor engine;
    private final Runnable action;
    private final Runnable whenEngineClosed;
    private final boolean delayed;
    private final boolean urgent;
    private volatile int submitted;

    public CoalescedCommand(CommandExecutor engine, Runnable action) {
        this(engine, action, () -> { }, false, false);
    }

    /** Creates a command that runs another action, on any thread, once the engine is closed. */
    public CoalescedCommand(CommandExecutor engine, Runnable action, Runnable whenEngineClosed) {
        this(engine, action, whenEngineClosed, false, false);
    }

    private CoalescedCommand(CommandExecutor engine, Runnable action, Runnable whenEngineClosed, boolean delayed,
            boolean urgent) {
        this.engine = engine;
        this.action = action;
        this.whenEngineClosed = whenEngineClosed;
        this.delayed = delayed;
        this.urgent = urgent;
    }

    /** Returns a command that runs after a short delay, to retry an action; then it is urgent. */
    public static CoalescedCommand delayed(CommandExecutor engine, Runnable action) {
        return new CoalescedCommand(engine, action, () -> { }, true, true);
    }

    /** Returns a command that is urgent: it may overtake what was submitted before. */
    public static CoalescedCommand urgent(CommandExecutor engine, Runnable action) {
        return new CoalescedCommand(engine, action, () -> { }, false, true);
    }

    @Override
    public boolean isUrgent() {
        return urgent;
    }

    public void submit() {
        // The entry that the caller has queued has to be visible before this looks whether a run is still to come: a
        // queue's store may else wait behind the look, the run see nothing, and nobody submit again.
        VarHandle.fullFence();
        if (submitted == 0 && SUBMITTED.compareAndSet(this, 0, 1)) {
            boolean given = false;
            try {
                if (delayed) {
                    RetryingCommand.retry(engine, this);
                } else {
                    engine.execute(this);
                }
                given = true;
            } finally {
                if (!given) {
                    // An error, such as an overflow of the stack, must not make this the last submission.
                    submitted = 0;
                }
            }
        }
    }

    @Override
    public void run(UcpWorker worker) {
        // Before the action: a submission while it runs makes it run again.
        submitted = 0;
        action.run();
    }

    /** Retries when the engine's queue is full, as {@link RetryingCommand} does. */
    @Override
    public void reject(RuntimeException cause) {
        if (cause instanceof UcxClosedException) {
            submitted = 0;
            whenEngineClosed.run();
        } else {
            RetryingCommand.retry(engine, this);
        }
    }
}
