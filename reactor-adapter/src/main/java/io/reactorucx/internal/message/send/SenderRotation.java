package io.reactorucx.internal.message.send;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The sends of a stream, which take turns, message by message.
 *
 * <p>Thread: engine.
 */
final class SenderRotation {

    private static final List<SendSubscriber<?>> NEVER_USED = Collections.emptyList();

    /** Allocated with the first send. */
    private List<SendSubscriber<?>> senders = NEVER_USED;
    private int last;

    void add(SendSubscriber<?> sender) {
        if (senders == NEVER_USED) {
            senders = new ArrayList<>(1);
        }
        senders.add(sender);
    }

    boolean remove(SendSubscriber<?> sender) {
        return senders.remove(sender);
    }

    void removeAll(Collection<SendSubscriber<?>> some) {
        senders.removeAll(some);
    }

    /** Returns the next one in turn that has a message, or null. */
    @Nullable SendSubscriber<?> next() {
        for (int i = senders.size(); i > 0; i--) {
            last = last + 1 < senders.size() ? last + 1 : 0;
            SendSubscriber<?> sender = senders.get(last);
            if (sender.peek() != null) {
                return sender;
            }
        }
        return null;
    }

    /** Lets the one whose turn it was have the next turn too. */
    void stepBack() {
        last = (last == 0 ? senders.size() : last) - 1;
    }

    /** Returns whether there has ever been a send. */
    boolean isUsed() {
        return senders != NEVER_USED;
    }

    boolean isEmpty() {
        return senders.isEmpty();
    }

    /** Returns whether there is one send and no other. */
    boolean isSingle() {
        return senders.size() == 1;
    }

    boolean anyMatch(Predicate<SendSubscriber<?>> condition) {
        return senders.stream().anyMatch(condition);
    }

    List<SendSubscriber<?>> filter(Predicate<SendSubscriber<?>> condition) {
        return senders.stream().filter(condition).toList();
    }

    /** Returns the sends, for a reader that calls none of them. */
    List<SendSubscriber<?>> all() {
        return senders;
    }
}
