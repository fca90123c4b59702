package io.reactorucx.internal.message.send;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.SequencedSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Limits what connections of an engine may have in flight together, and lets them have their turns: the batches to one
 * worker of a peer, and the large messages that wait for any peer to fetch them.
 *
 * <p>Over shared memory the connections to one worker have one queue of UCX. UCX polls each endpoint that found the
 * queue full in every round of progress, so for all but a few endpoints it is cheaper to wait here; messages that are
 * ready meanwhile join the same batch.
 *
 * <p>Thread: engine.
 */
public final class SharedSendWindow {

    /** Enough that UCX always has something to send, and few enough to poll. */
    public static final int MAX_IN_FLIGHT = 8;

    private static final Logger LOG = LoggerFactory.getLogger(SharedSendWindow.class);

    private final int limit;
    private final SequencedSet<Runnable> waiting = new LinkedHashSet<>();
    private int connections;
    private int inFlight;
    private boolean admitting;

    /** Creates a window for batches. */
    public SharedSendWindow() {
        this(MAX_IN_FLIGHT);
    }

    /** Creates a window for so many batches or large messages. */
    public SharedSendWindow(int limit) {
        this.limit = limit;
    }

    /** Returns whether UCX may get one more batch. */
    boolean isOpen() {
        return inFlight < limit;
    }

    int limit() {
        return limit;
    }

    /** Returns whether the caller may send a batch: it was called back, or no other connection is waiting. */
    public boolean admits() {
        return isOpen() && (admitting || waiting.isEmpty());
    }

    boolean isAwaited() {
        return !waiting.isEmpty();
    }

    /** Queues a connection; its callback runs when the window opens. */
    public void await(Runnable whenOpen) {
        waiting.add(whenOpen);
    }

    /** Removes a connection that has nothing to send any more. */
    public void cancelAwait(Runnable whenOpen) {
        waiting.remove(whenOpen);
    }

    /** UCX has accepted a batch and not completed it at once. */
    public void batchStarted() {
        inFlight++;
    }

    /** UCX has completed a batch. The caller must then call {@link #admitNext()}. */
    public void batchCompleted() {
        inFlight--;
    }

    /** Calls the queued connections as long as the window is open. */
    public void admitNext() {
        if (admitting) {
            return;
        }
        admitting = true;
        try {
            // Each at most once: a connection that has more to send queues again behind the others.
            for (int i = waiting.size(); i > 0 && isOpen() && !waiting.isEmpty(); i--) {
                run(waiting.removeFirst());
            }
        } finally {
            admitting = false;
        }
    }

    private static void run(Runnable whenOpen) {
        try {
            whenOpen.run();
        } catch (RuntimeException | Error e) {
            // The connections behind this one have no other call back.
            LOG.error("A connection failed to send", e);
        }
    }

    /** The windows of all workers that an engine has connections to, by worker id. */
    public static final class Registry {

        private final Map<Long, SharedSendWindow> windows = new HashMap<>();

        /** Returns the window of a peer's worker, to be left by {@link #leave}. */
        public SharedSendWindow join(long workerId) {
            SharedSendWindow window = windows.computeIfAbsent(workerId, id -> new SharedSendWindow());
            window.connections++;
            return window;
        }

        /** A connection to a peer's worker has ended. */
        public void leave(long workerId) {
            SharedSendWindow window = windows.get(workerId);
            if (window != null && --window.connections == 0) {
                windows.remove(workerId);
            }
        }

        public int size() {
            return windows.size();
        }
    }

    /** One connection's use of the window: its batches in flight, and its place among those that wait. */
    static final class Share {

        private final Runnable whenOpen;
        /** The connection's own window, until the peer's worker is known. */
        private SharedSendWindow window = new SharedSendWindow();
        private int inFlight;
        private boolean waiting;

        Share(Runnable whenOpen) {
            this.whenOpen = () -> {
                waiting = false;
                whenOpen.run();
            };
        }

        void join(SharedSendWindow shared) {
            window = shared;
        }

        boolean isOpen() {
            return window.isOpen();
        }

        boolean admits() {
            return window.admits();
        }

        void await() {
            if (!waiting) {
                waiting = true;
                window.await(whenOpen);
            }
        }

        void cancelAwait() {
            if (waiting) {
                waiting = false;
                window.cancelAwait(whenOpen);
            }
        }

        void batchStarted() {
            inFlight++;
            window.batchStarted();
        }

        void batchCompleted() {
            if (inFlight > 0) {
                inFlight--;
                window.batchCompleted();
            }
        }

        void admitNext() {
            window.admitNext();
        }

        /** Gives up the batches in flight, which UCX may never complete. Returns whether other connections wait. */
        boolean leave() {
            for (; inFlight > 0; inFlight--) {
                window.batchCompleted();
            }
            return window.isAwaited();
        }
    }
}
