package io.reactorucx.transport.carrier;

import io.reactorucx.engine.ProgressEngine;
import io.reactorucx.transport.command.DelayedAction;
import java.time.Duration;

/**
 * Waits until the engine has delivered what a raw peer sent before it closed by force, as UCX's own examples do: UCX
 * reports the reset from its own thread while messages still stand in shared memory. A step of the engine that finds
 * nothing to do means that all of them are delivered.
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

    /** Runs an action when everything that has arrived is delivered, at the latest after {@link #MAX_POLLS} polls. */
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
