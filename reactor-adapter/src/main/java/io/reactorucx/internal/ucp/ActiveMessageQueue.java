package io.reactorucx.internal.ucp;

import io.reactorucx.internal.config.ReceiveQueueConfig;
import io.reactorucx.message.ActiveMessage;
import io.reactorucx.message.OverflowPolicy;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * The messages of one receiver that wait for demand, limited by count and bytes.
 *
 * <p>Thread: engine.
 */
final class ActiveMessageQueue {

    private final ReceiveQueueConfig limits;
    private final Queue<ActiveMessage> queue = new ArrayDeque<>();
    private int offers;
    private long bytes;

    ActiveMessageQueue(ReceiveQueueConfig limits) {
        this.limits = limits;
    }

    /** Returns whether one more message may wait. An empty queue takes a message of any size. */
    boolean hasRoom(boolean rendezvous, long length) {
        boolean holds = limits.overflow() == OverflowPolicy.HOLD;
        if (holds && rendezvous) {
            return offers < limits.maxHeldOffers();
        }
        int count = holds ? queue.size() - offers : queue.size();
        return count == 0 || (count < limits.maxMessages()
                && bytes + heldHere(rendezvous, length) <= limits.maxBytes());
    }

    /** Returns the bytes that this side holds for a message: a rendezvous message stays with its sender. */
    private static long heldHere(boolean rendezvous, long length) {
        return rendezvous ? 0 : length;
    }

    void add(ActiveMessage message) {
        queue.add(message);
        account(message, 1);
    }

    @Nullable ActiveMessage poll() {
        ActiveMessage message = queue.poll();
        if (message != null) {
            account(message, -1);
        }
        return message;
    }

    private void account(ActiveMessage message, int sign) {
        bytes += sign * heldHere(message.isRendezvous(), message.length());
        offers += message.isRendezvous() ? sign : 0;
    }

    boolean isEmpty() {
        return queue.isEmpty();
    }

    void discardAll() {
        for (ActiveMessage message = poll(); message != null; message = poll()) {
            message.discard();
        }
    }

    @Override
    public String toString() {
        return queue.size() + " messages and " + bytes + " bytes wait already, at most " + limits.maxMessages()
                + " and " + limits.maxBytes()
                + " may";
    }
}
