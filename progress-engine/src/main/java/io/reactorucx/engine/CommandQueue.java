package io.reactorucx.engine;

import java.util.function.Consumer;
import org.jctools.queues.varhandle.MpscVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * The commands of other threads that wait for an engine, bounded, in two queues: what ends something does not wait
 * behind what begins something, of which there may be thousands.
 *
 * <p>Thread: any for {@link #offer}, {@link #isEmpty} and {@link #size}; one at a time for the others.
 */
final class CommandQueue {

    private static final int MIN_URGENT = 1024;

    private final MpscVarHandleArrayQueue<Command> urgent;
    private final MpscVarHandleArrayQueue<Command> others;

    CommandQueue(int capacity) {
        urgent = new MpscVarHandleArrayQueue<>(Math.max(capacity, MIN_URGENT));
        others = new MpscVarHandleArrayQueue<>(capacity);
    }

    /** Returns false if there is no place. */
    boolean offer(Command command) {
        return (command.isUrgent() ? urgent : others).offer(command);
    }

    /**
     * Runs urgent commands, and at most so many others. Before each of those it runs the urgent ones again: a thread
     * may have queued one before it.
     *
     * @return how many it ran
     */
    int drain(Consumer<Command> runner, int most) {
        int ran = drainUrgent(runner);
        for (int i = 0; i < most; i++) {
            Command next = others.poll();
            if (next == null) {
                break;
            }
            ran += drainUrgent(runner) + 1;
            runner.accept(next);
        }
        return ran;
    }

    /** Runs the urgent commands that are in the queue now. The queue's drain may stop before one that is. */
    private int drainUrgent(Consumer<Command> runner) {
        int ran = 0;
        for (Command next = urgent.poll(); next != null; next = ++ran < urgent.capacity() ? urgent.poll() : null) {
            runner.accept(next);
        }
        return ran;
    }

    @Nullable Command poll() {
        Command first = urgent.poll();
        return first == null ? others.poll() : first;
    }

    boolean isEmpty() {
        return urgent.isEmpty() && others.isEmpty();
    }

    int size() {
        return urgent.size() + others.size();
    }
}
