package io.reactorucx.internal.endpoint;

import io.reactorucx.core.SharedMemoryQueues;
import io.reactorucx.engine.ProgressEngine;
import io.reactorucx.internal.command.DelayedAction;
import java.time.Duration;

/**
 * Lets UCX look for messages in shared memory whose senders could not wake it up, twice a second. Each costs a system
 * call for each kind of shared memory.
 *
 * <p>Thread: engine.
 */
public final class SharedMemorySignals {

    private static final Duration INTERVAL = Duration.ofMillis(500);

    private final ProgressEngine engine;

    public SharedMemorySignals(ProgressEngine engine) {
        this.engine = engine;
    }

    /** Begins, and goes on until the engine closes. */
    public void start() {
        DelayedAction.after(engine, INTERVAL, () -> {
            SharedMemoryQueues.signalReceivers();
            start();
        });
    }
}
