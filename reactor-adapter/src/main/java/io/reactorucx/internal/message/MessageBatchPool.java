package io.reactorucx.internal.message;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

/**
 * Batches that no connection of an engine fills or sends at the moment. The one that was used last is the next: over a
 * thousand connections the same few stay in the processor's cache. On the engine's thread.
 */
public final class MessageBatchPool {

    private static final int MOST_IDLE = 64;

    private final Deque<MessageBatch> idle = new ArrayDeque<>();

    /** One that is empty; see {@link MessageBatch}. */
    public MessageBatch take(Consumer<MessageBatch> whenSent, int usualBytes, int largestInline) {
        MessageBatch last = idle.poll();
        MessageBatch batch = last != null && last.holds(usualBytes, largestInline) ? last
                : new MessageBatch(usualBytes, largestInline);
        batch.clear(whenSent, usualBytes);
        return batch;
    }

    void give(MessageBatch batch) {
        batch.forget();
        if (idle.size() < MOST_IDLE) {
            idle.push(batch);
        }
    }
}
