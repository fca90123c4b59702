package io.reactorucx.internal.connection;

import io.reactorucx.engine.ProgressEngine;
import io.reactorucx.internal.concurrent.DelayedAction;
import java.time.Duration;

/**
 * Waits until the engine has delivered what a raw peer sent before it closed by force, as UCX's own examples do at
 * once: UCX reports the reset from its own thread while messages still stand in shared memory. A round of the engine
 * that finds nothing has taken the last of them.
 */
final class ReceiveDrain {

    private static final int MAX_POLLS = 100;
    private static final Duration INTERVAL = Duration.ofMillis(1);

    private final ProgressEngine engine;
    private final long emptyStepsBefore;
    private final Runnable whenDrained;
    private int polls;

    private ReceiveDrain(ProgressEngine engine, Runnable whenDrained) {
        this.engine = engine;
        this.emptyStepsBefore = engine.counters().emptySteps();
        this.whenDrained = whenDrained;
    }

    /** Runs an action on the engine's thread once everything that has arrived is delivered, on a busy engine later. */
    static void start(ProgressEngine engine, Runnable whenDrained) {
        new ReceiveDrain(engine, whenDrained).schedulePoll();
    }

    private void schedulePoll() {
        DelayedAction.after(engine, INTERVAL, this::poll);
    }

    private void poll() {
        if (++polls >= MAX_POLLS || engine.counters().emptySteps() > emptyStepsBefore) {
            whenDrained.run();
        } else {
            schedulePoll();
        }
    }
}
