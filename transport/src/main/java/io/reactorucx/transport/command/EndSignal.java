package io.reactorucx.transport.command;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The end of something, which is signalled once. Listeners run in the order in which they came, on the thread that
 * signals; those that come later run at once. What one throws is logged and keeps no other from its signal.
 *
 * <p>Thread: any.
 */
public final class EndSignal {

    private static final Logger LOG = LoggerFactory.getLogger(EndSignal.class);

    private List<Listener> listeners = new ArrayList<>(1);
    private boolean signalled;
    private @Nullable Throwable failure;

    /** An action that waits for the signal. */
    public final class Listener {

        private final Runnable action;

        private Listener(Runnable action) {
            this.action = action;
        }

        /** Lets the signal forget the action. */
        public void remove() {
            EndSignal.this.remove(this);
        }
    }

    /** Runs an action at the end. */
    public Listener listen(Runnable action) {
        Listener listener = new Listener(action);
        if (!add(listener)) {
            run(listener);
        }
        return listener;
    }

    private synchronized boolean add(Listener listener) {
        if (!signalled) {
            listeners.add(listener);
        }
        return !signalled;
    }

    private synchronized void remove(Listener listener) {
        listeners.remove(listener);
    }

    /** Returns the failure that was the end, null for none. */
    public synchronized @Nullable Throwable failure() {
        return failure;
    }

    /** Signals the end; further calls do nothing. */
    public void signal() {
        signal(null);
    }

    /** Signals the end by a failure; further calls do nothing. */
    public void signal(@Nullable Throwable cause) {
        List<Listener> waiting;
        synchronized (this) {
            if (!signalled) {
                failure = cause;
            }
            signalled = true;
            waiting = listeners;
            listeners = new ArrayList<>(0);
        }
        waiting.forEach(EndSignal::run);
    }

    private static void run(Listener listener) {
        try {
            listener.action.run();
        } catch (Throwable t) {
            log(t);
        }
    }

    /** Without memory the logger may throw as well. */
    private static void log(Throwable error) {
        try {
            LOG.error("A listener of an end failed", error);
        } catch (Throwable t) {
            // Nothing is left to report it to.
        }
    }
}
