package io.reactorucx.internal.message;

/**
 * Delays sending until the outermost call into the message protocol returns, so that everything written meanwhile
 * shares a batch. Each entry point runs in {@code try (var _ = scope.open())}; scopes nest.
 *
 * <p>Thread: engine.
 */
final class FlushScope implements AutoCloseable {

    private final SendScheduler scheduler;
    private final MessageMultiplexer mux;
    private int depth;
    private boolean flushing;

    FlushScope(SendScheduler scheduler, MessageMultiplexer mux) {
        this.scheduler = scheduler;
        this.mux = mux;
    }

    FlushScope open() {
        depth++;
        return this;
    }

    @Override
    public void close() {
        flushAndLeave();
        if (depth == 0) {
            mux.flushed();
        }
    }

    /** As a scope around a step of the connection's shutdown, which checks by itself whether it can go on. */
    void duringShutdown(Runnable step) {
        depth++;
        try {
            step.run();
        } finally {
            flushAndLeave();
        }
    }

    private void flushAndLeave() {
        if (depth == 1 && !flushing) {
            flushing = true;
            try {
                scheduler.flush();
            } finally {
                flushing = false;
                depth--;
            }
        } else {
            depth--;
        }
    }
}
