package io.reactorucx;

import io.reactorucx.engine.ProgressEngine;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import reactor.core.scheduler.Schedulers;

/** Runs one action on the engine's thread, once for any number of calls that come before it has run: at most one waits for its turn. */
final class CoalescedCommand {

    private final AtomicBoolean waiting = new AtomicBoolean();
    private final InsistentCommand command;
    private final Runnable action;
    private final long delayMillis;

    CoalescedCommand(ConnectionCore connection, Runnable action) {
        this(connection.engine(), action);
    }

    CoalescedCommand(ProgressEngine engine, Runnable action) {
        this(engine, action, () -> { }, 0);
    }

    /** As above, with something else to do, on any thread, once the engine is closed. */
    CoalescedCommand(ConnectionCore connection, Runnable action, Runnable whenEngineClosed) {
        this(connection.engine(), action, whenEngineClosed, 0);
    }

    private CoalescedCommand(ProgressEngine engine, Runnable action, Runnable whenEngineClosed, long delayMillis) {
        this.action = action;
        this.delayMillis = delayMillis;
        this.command = new InsistentCommand(engine, worker -> run(), closed -> {
            waiting.set(false);
            whenEngineClosed.run();
        });
    }

    /** One that runs a moment later: a second attempt at something. */
    static CoalescedCommand delayed(ConnectionCore connection, Runnable action) {
        return new CoalescedCommand(connection.engine(), action, () -> { }, 1);
    }

    void submit() {
        if (!waiting.get() && waiting.compareAndSet(false, true)) {
            if (delayMillis == 0) {
                command.submit();
            } else {
                Schedulers.parallel().schedule(command::submit, delayMillis, TimeUnit.MILLISECONDS);
            }
        }
    }

    private void run() {
        // First: what is asked for while the action runs is a reason to run it again.
        waiting.set(false);
        action.run();
    }
}
