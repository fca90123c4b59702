package io.reactorucx.netty.internal;

import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What waits for the next round of a loop: streams that have something for their channels, streams that go on after
 * they had to wait, and actions.
 *
 * <p>Thread: loop.
 */
final class LoopRounds {

    private static final Logger LOG = LoggerFactory.getLogger(LoopRounds.class);

    private final String loop;
    private final Queue<Turn> ready = new ArrayDeque<>();
    private final Set<Turn> resuming = new LinkedHashSet<>();
    private final Queue<Runnable> delayed = new ArrayDeque<>();

    LoopRounds(String loop) {
        this.loop = loop;
    }

    /** What one stream does in a round. What that throws, the lack of memory for a buffer too, ends the stream. */
    static final class Turn {

        private final Runnable deliver;
        private final Runnable resume;
        private final Consumer<Throwable> failed;
        private boolean isReady;

        Turn(Runnable deliver, Runnable resume, Consumer<Throwable> failed) {
            this.deliver = deliver;
            this.resume = resume;
            this.failed = failed;
        }
    }

    /** Has a stream tell its channel what there is in the next round, once. */
    void ready(Turn turn) {
        if (!turn.isReady) {
            turn.isReady = true;
            ready.add(turn);
        }
    }

    /** Has a stream go on in the next round. */
    void resumeLater(Turn turn) {
        resuming.add(turn);
    }

    /** The stream has ended. */
    void forget(Turn turn) {
        resuming.remove(turn);
    }

    void later(Runnable action) {
        delayed.add(action);
    }

    /** Has the streams go on that had to wait, and runs the actions. */
    void resume() {
        if (!resuming.isEmpty()) {
            List<Turn> again = List.copyOf(resuming);
            resuming.clear();
            for (Turn turn : again) {
                try {
                    turn.resume.run();
                } catch (Throwable t) {
                    turn.failed.accept(t);
                }
            }
        }
        for (int i = delayed.size(); i > 0; i--) {
            try {
                delayed.remove().run();
            } catch (RuntimeException e) {
                LOG.error("[{}] an action threw", loop, e);
            }
        }
    }

    /** Has the channels read whose streams have something, each once, and returns how many there were. */
    int deliver() {
        int count = ready.size();
        for (int i = 0; i < count; i++) {
            Turn turn = ready.remove();
            turn.isReady = false;
            try {
                turn.deliver.run();
            } catch (Throwable t) {
                turn.failed.accept(t);
            }
        }
        return count;
    }

    /** Returns whether nothing waits for the next round. */
    boolean isIdle() {
        return ready.isEmpty() && delayed.isEmpty() && resuming.isEmpty();
    }
}
