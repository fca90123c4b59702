package io.reactorucx;

import io.reactorucx.engine.ProgressEngine;
import java.util.concurrent.atomic.AtomicBoolean;

/** Runs one action on the engine's thread, once for any number of calls that come before it has run: at most one waits for its turn. */
final class CoalescedCommand {

    private final AtomicBoolean waiting = new AtomicBoolean();
    private final InsistentCommand command;
    private final Runnable action;

    CoalescedCommand(ConnectionCore connection, Runnable action) {
        this(connection.engine(), action);
    }

    CoalescedCommand(ProgressEngine engine, Runnable action) {
        this.action = action;
        this.command = new InsistentCommand(engine, worker -> run(), closed -> waiting.set(false));
    }

    void submit() {
        if (waiting.compareAndSet(false, true)) {
            command.submit();
        }
    }

    private void run() {
        // First: what is asked for while the action runs is a reason to run it again.
        waiting.set(false);
        action.run();
    }
}
