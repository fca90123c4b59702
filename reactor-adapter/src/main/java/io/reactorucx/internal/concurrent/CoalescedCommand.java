package io.reactorucx.internal.concurrent;

import io.reactorucx.core.UcpWorker;
import io.reactorucx.core.UcxClosedException;
import io.reactorucx.engine.Command;
import io.reactorucx.engine.ProgressEngine;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/**
 * Runs one action on the engine's thread, once for any number of calls that come before it has run: at most one waits
 * for its turn.
 */
public final class CoalescedCommand implements Command {

    private static final AtomicIntegerFieldUpdater<CoalescedCommand> WAITING =
            AtomicIntegerFieldUpdater.newUpdater(CoalescedCommand.class, "waiting");

    private final ProgressEngine engine;
    private final Runnable action;
    private final Runnable whenEngineClosed;
    private final boolean delayed;
    private volatile int waiting;

    public CoalescedCommand(ProgressEngine engine, Runnable action) {
        this(engine, action, () -> { }, false);
    }

    /** As above, with something else to do, on any thread, once the engine is closed. */
    public CoalescedCommand(ProgressEngine engine, Runnable action, Runnable whenEngineClosed) {
        this(engine, action, whenEngineClosed, false);
    }

    private CoalescedCommand(ProgressEngine engine, Runnable action, Runnable whenEngineClosed, boolean delayed) {
        this.engine = engine;
        this.action = action;
        this.whenEngineClosed = whenEngineClosed;
        this.delayed = delayed;
    }

    /** One that runs a moment later: a second attempt at something. */
    public static CoalescedCommand delayed(ProgressEngine engine, Runnable action) {
        return new CoalescedCommand(engine, action, () -> { }, true);
    }

    public void submit() {
        if (waiting == 0 && WAITING.compareAndSet(this, 0, 1)) {
            if (delayed) {
                RetryingCommand.again(engine, this);
            } else {
                engine.execute(this);
            }
        }
    }

    @Override
    public void run(UcpWorker worker) {
        // First: what is asked for while the action runs is a reason to run it again.
        waiting = 0;
        action.run();
    }

    /** A full queue is no reason to give up, as in {@link RetryingCommand}. */
    @Override
    public void reject(RuntimeException cause) {
        if (cause instanceof UcxClosedException) {
            waiting = 0;
            whenEngineClosed.run();
        } else {
            RetryingCommand.again(engine, this);
        }
    }
}
