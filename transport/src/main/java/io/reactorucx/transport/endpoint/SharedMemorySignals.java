package io.reactorucx.transport.endpoint;

import io.reactorucx.core.shm.SharedMemoryQueues;
import io.reactorucx.engine.PeriodicTask;
import io.reactorucx.engine.ProgressEngine;
import java.time.Duration;

/**
 * Lets UCX look for messages in shared memory whose senders could not wake it up, twice a second. Each costs a system
 * call for each kind of shared memory.
 *
 * <p>Thread: engine.
 */
public final class SharedMemorySignals {

    private static final Duration INTERVAL = Duration.ofMillis(500);

    private SharedMemorySignals() {
    }

    /** Begins, and goes on until the engine closes. */
    public static void start(ProgressEngine engine) {
        PeriodicTask.aligned(engine, "the signal to receivers in shared memory", INTERVAL, () -> {
            SharedMemoryQueues.signalReceivers();
            return true;
        }).start();
    }
}
