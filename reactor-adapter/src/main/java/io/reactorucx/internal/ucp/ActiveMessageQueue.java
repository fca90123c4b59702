package io.reactorucx.internal.ucp;

import io.reactorucx.transport.OverflowPolicy;
import io.reactorucx.transport.config.ReceiveQueueConfig;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Messages that wait for demand or for a receiver, limited by count and bytes.
 *
 * <p>Thread: engine.
 */
final class ActiveMessageQueue {

    private final ReceiveQueueConfig limits;
    private final Queue<ReceivedMessage> queue = new ArrayDeque<>();
    private int offers;
    private long bytes;

    ActiveMessageQueue(ReceiveQueueConfig limits) {
        this.limits = limits;
    }

    /** Drops the oldest messages if that is the policy, and returns whether one more message may wait. */
    boolean makeRoom(boolean rendezvous, long length, Consumer<ReceivedMessage> whenDropped) {
        while (!hasRoom(rendezvous, length)) {
            ReceivedMessage oldest = limits.overflow() == OverflowPolicy.DROP_OLDEST ? poll() : null;
            if (oldest == null) {
                return false;
            }
            whenDropped.accept(oldest);
        }
        return true;
    }

    /** Returns whether one more message may wait. An empty queue takes a message of any size. */
    private boolean hasRoom(boolean rendezvous, long length) {
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

    void add(ReceivedMessage message) {
        queue.add(message);
        account(message, 1);
    }

    @Nullable ReceivedMessage poll() {
        ReceivedMessage message = queue.poll();
        if (message != null) {
            account(message, -1);
        }
        return message;
    }

    /** Moves the messages of an id to another queue, in their order. */
    void moveTo(ActiveMessageQueue other, int id) {
        for (Iterator<ReceivedMessage> each = queue.iterator(); each.hasNext();) {
            ReceivedMessage message = each.next();
            if (message.id() == id) {
                each.remove();
                account(message, -1);
                other.add(message);
            }
        }
    }

    /** Removes the messages whose data is offered, and returns them. */
    List<ReceivedMessage> removeOffers() {
        List<ReceivedMessage> offered = queue.stream().filter(message -> !message.hasData()).toList();
        queue.removeAll(offered);
        offered.forEach(message -> account(message, -1));
        return offered;
    }

    private void account(ReceivedMessage message, int sign) {
        bytes += sign * heldHere(message.isRendezvous(), message.length());
        offers += message.isRendezvous() ? sign : 0;
    }

    boolean isEmpty() {
        return queue.isEmpty();
    }

    void discardAll() {
        for (ReceivedMessage message = poll(); message != null; message = poll()) {
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
