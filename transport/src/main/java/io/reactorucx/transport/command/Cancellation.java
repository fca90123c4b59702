package io.reactorucx.transport.command;

import org.jspecify.annotations.Nullable;

/** A cancel of what is done in steps, one after the other: it ends the step that runs then. Thread: any. */
public final class Cancellation {

    private @Nullable Runnable current;
    private int step;
    private boolean cancelled;

    /** Begins a step, and returns its number. */
    public synchronized int begin() {
        current = null;
        return ++step;
    }

    /** Sets how a step is cancelled, unless the next one has begun meanwhile. */
    public void onCancel(int ofStep, Runnable action) {
        synchronized (this) {
            if (!cancelled) {
                current = ofStep == step ? action : current;
                return;
            }
        }
        action.run();
    }

    public void cancel() {
        Runnable action;
        synchronized (this) {
            cancelled = true;
            action = current;
            current = null;
        }
        if (action != null) {
            action.run();
        }
    }

    public synchronized boolean isCancelled() {
        return cancelled;
    }
}
