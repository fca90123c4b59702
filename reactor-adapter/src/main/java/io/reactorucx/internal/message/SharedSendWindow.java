package io.reactorucx.internal.message;

import java.util.LinkedHashSet;
import java.util.SequencedSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What this engine's connections with one worker of a peer have on its way there. Over shared memory they have one
 * queue of UCX, and those that find it full would wait in UCX, which looks at each of them in every round: for all but
 * a few it is cheaper to wait here, and what comes up meanwhile goes along. On the engine's thread.
 */
public final class SharedSendWindow {

    /** Enough for UCX always to have something to send, and few to look at. */
    public static final int MOST_UNDER_WAY = 8;

    private static final Logger LOG = LoggerFactory.getLogger(SharedSendWindow.class);

    private final SequencedSet<Runnable> line = new LinkedHashSet<>();
    private int connections;
    private int underWay;
    private boolean calling;

    /** Whether UCX may get one more batch. */
    boolean isFree() {
        return underWay < MOST_UNDER_WAY;
    }

    /** As above, unless others have waited longer; the one that is called has its turn. */
    public boolean admits() {
        return isFree() && (calling || line.isEmpty());
    }

    boolean isAwaited() {
        return !line.isEmpty();
    }

    /** Somebody takes the last place in the line, and is called when there is room. */
    public void waits(Runnable turn) {
        line.add(turn);
    }

    /** Somebody has nothing to send any more. */
    public void waitsNoMore(Runnable turn) {
        line.remove(turn);
    }

    /** UCX has not sent a batch at once. */
    public void keeps() {
        underWay++;
    }

    /** UCX has let go of one; whoever says so calls the {@link #next()}. */
    public void hasRoom() {
        underWay--;
    }

    /** Calls those that wait, as far as there is room. */
    public void next() {
        if (calling) {
            return;
        }
        calling = true;
        try {
            // Each at most once: who has more to send, and no room, waits again.
            for (int i = line.size(); i > 0 && isFree() && !line.isEmpty(); i--) {
                call(line.removeFirst());
            }
        } finally {
            calling = false;
        }
    }

    private static void call(Runnable turn) {
        try {
            turn.run();
        } catch (RuntimeException | Error e) {
            // The others have nobody else who would call them.
            LOG.error("A connection failed to send", e);
        }
    }

    void joins() {
        connections++;
    }

    /** Answers whether that was the last connection. */
    boolean leaves() {
        connections--;
        return connections == 0;
    }
}
