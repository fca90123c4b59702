package io.reactorucx.internal.message.context;

/**
 * Delays sending until the outermost call into the message protocol returns, so that everything written meanwhile
 * shares a batch. Each entry point runs in {@code try (var _ = scope.open())}; scopes nest.
 *
 * <p>Thread: engine.
 */
public final class FlushScope implements AutoCloseable {

    private final Runnable flush;
    private final Runnable whenFlushed;
    private int depth;
    private boolean flushing;

    /** Creates a scope whose outermost close calls {@code flush}, and then {@code whenFlushed}. */
    public FlushScope(Runnable flush, Runnable whenFlushed) {
        this.flush = flush;
        this.whenFlushed = whenFlushed;
    }

    public FlushScope open() {
        depth++;
        return this;
    }

    /** Returns whether no other call into the protocol is in progress below the one that has opened the scope. */
    public boolean isOutermost() {
        return depth == 1;
    }

    @Override
    public void close() {
        flushAndLeave();
        if (depth == 0) {
            whenFlushed.run();
        }
    }

    /** As a scope around a step of the connection's shutdown, which checks by itself whether it can go on. */
    public void duringShutdown(Runnable step) {
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
                flush.run();
            } finally {
                flushing = false;
                depth--;
            }
        } else {
            depth--;
        }
    }
}
