package io.reactorucx.internal.message.receive;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.internal.message.context.MessageCounters;
import io.reactorucx.internal.message.context.StreamBuffers;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * Messages of a stream that have arrived and wait: for demand, for memory of the pool, or for the data of a large
 * message in front of them. Large ones are fetched ahead of demand, up to a limit.
 *
 * <p>Thread: engine.
 */
final class ReceiveQueue {

    /** Bytes that may be fetched ahead; a single message always may. */
    private static final long FETCH_AHEAD_BYTES = 4L << 20;

    private final StreamBuffers buffers;
    private final MessageCounters counters;
    /** Each a {@code byte[]} or a {@link RendezvousReceive}. */
    private final Queue<Object> messages = new ArrayDeque<>();
    private final Queue<RendezvousReceive> unfetched = new ArrayDeque<>(1);
    private int heldBytes;
    private long fetchedBytes;

    ReceiveQueue(StreamBuffers buffers, MessageCounters counters) {
        this.buffers = buffers;
        this.counters = counters;
    }

    void add(byte[] message) {
        messages.add(message);
        hold(message.length);
    }

    void add(RendezvousReceive message) {
        messages.add(message);
        unfetched.add(message);
    }

    private void hold(int bytes) {
        heldBytes += bytes;
        counters.held(bytes);
    }

    /** Delivers the first message. Returns false if its data or memory for it is missing. */
    boolean deliverFirst(ReceiveSubscription<?> receiver) {
        Object first = messages.element();
        if (first instanceof RendezvousReceive large) {
            UcxBuffer lease = large.lease();
            if (lease == null) {
                return false;
            }
            messages.remove();
            fetchedBytes -= lease.length();
            counters.held(-lease.length());
            receiver.deliver(lease);
            return true;
        }
        byte[] message = (byte[]) first;
        if (!receiver.deliver(message, buffers)) {
            return false;
        }
        // The subscriber may cancel inside onNext, which clears the queue.
        if (messages.peek() == message) {
            messages.remove();
            hold(-message.length);
        }
        return true;
    }

    /**
     * Fetches large messages as far as the limit and the pool's memory allow. Returns whether one was fetched within
     * the call: nothing else tells of it.
     */
    boolean fetch() {
        boolean fetched = false;
        for (RendezvousReceive next = unfetched.peek(); next != null; next = unfetched.peek()) {
            if (fetchedBytes > 0 && fetchedBytes + next.length() > FETCH_AHEAD_BYTES || !next.fetch(buffers)) {
                return fetched;
            }
            unfetched.remove();
            fetchedBytes += next.length();
            counters.held(next.length());
            fetched |= next.lease() != null;
        }
        return fetched;
    }

    /** Releases all messages. Returns whether there were any. */
    boolean clear() {
        boolean any = !messages.isEmpty();
        buffers.cancel();
        unfetched.clear();
        for (Object message = messages.poll(); message != null; message = messages.poll()) {
            if (message instanceof RendezvousReceive large) {
                large.discard();
            }
        }
        counters.held(-heldBytes - fetchedBytes);
        heldBytes = 0;
        fetchedBytes = 0;
        return any;
    }

    boolean isEmpty() {
        return messages.isEmpty();
    }

    int size() {
        return messages.size();
    }

    /** Returns the bytes of small messages that wait. */
    int heldBytes() {
        return heldBytes;
    }
}
