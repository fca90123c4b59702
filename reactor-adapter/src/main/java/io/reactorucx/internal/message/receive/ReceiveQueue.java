package io.reactorucx.internal.message.receive;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.buffer.UcxBufferPool;
import io.reactorucx.internal.codec.InboundMessage;
import io.reactorucx.internal.message.context.MessageCounters;
import io.reactorucx.internal.message.context.StreamBuffers;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Messages of a stream that have arrived and wait: for demand, for memory of the pool, or for the data of a large
 * message in front of them. Large ones are fetched ahead of demand, up to a limit.
 *
 * <p>Memory is taken in the order of the messages, small ones in front of a large one included: what is in front never
 * waits for memory that a message behind it holds. A small message that no large one follows takes its memory when it
 * is delivered, if its decoder asks for a lease.
 *
 * <p>Thread: engine.
 */
final class ReceiveQueue implements InboundMessage.Memory {

    /** Memory that may be taken before messages are delivered; that of a single one always may. */
    private static final long AHEAD_BYTES = 4L << 20;

    private final StreamBuffers buffers;
    private final MessageCounters counters;
    /** Each a {@code byte[]} or a {@link RendezvousReceive}. */
    private final Queue<Object> messages = new ArrayDeque<>();
    /** The messages that have no memory yet, the last ones of all. */
    private final Deque<Object> withoutMemory = new ArrayDeque<>();
    /** The memory of the small messages that have some, in their order. */
    private final Queue<UcxBuffer> reserved = new ArrayDeque<>(1);
    /** The memory of the small message that is being delivered. */
    private @Nullable UcxBuffer own;
    private int unfetched;
    private int heldBytes;
    private long fetchedBytes;
    private long reservedBytes;

    ReceiveQueue(StreamBuffers buffers, MessageCounters counters) {
        this.buffers = buffers;
        this.counters = counters;
    }

    void add(byte[] message) {
        messages.add(message);
        withoutMemory.add(message);
        hold(message.length);
    }

    void add(RendezvousReceive message) {
        messages.add(message);
        withoutMemory.add(message);
        unfetched++;
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
        return deliverFirst((byte[]) first, receiver);
    }

    private boolean deliverFirst(byte[] message, ReceiveSubscription<?> receiver) {
        boolean hadMemory = withoutMemory.peek() != message;
        own = hadMemory ? takeReserved() : null;
        boolean delivered = false;
        try {
            delivered = receiver.deliver(message, this);
        } finally {
            releaseOwn();
            // The subscriber may cancel inside onNext, which clears the queue.
            if (messages.peek() == message) {
                ended(message, hadMemory, delivered);
            }
        }
        return delivered;
    }

    private UcxBuffer takeReserved() {
        UcxBuffer lease = reserved.remove();
        reservedBytes -= blockBytes(lease.length());
        return lease;
    }

    private void ended(byte[] message, boolean hadMemory, boolean delivered) {
        if (delivered) {
            messages.remove();
            hold(-message.length);
        }
        if (delivered && !hadMemory) {
            withoutMemory.remove();
            // Its decoder may not have asked for the memory that it waited for.
            buffers.cancel();
        } else if (!delivered && hadMemory) {
            withoutMemory.addFirst(message);
        }
    }

    /** Gives the decoder of the first message what that has, and then what the pool has. */
    @Override
    public @Nullable UcxBuffer tryLease(long bytes) {
        UcxBuffer lease = own;
        own = null;
        return lease == null ? buffers.tryLease(bytes) : lease;
    }

    private void releaseOwn() {
        UcxBuffer unused = own;
        if (unused != null) {
            own = null;
            unused.release();
        }
    }

    /**
     * Fetches large messages as far as the limit and the pool's memory allow. Returns whether one was fetched within
     * the call: nothing else tells of it.
     */
    boolean fetch() {
        boolean fetched = false;
        while (unfetched > 0) {
            Object next = withoutMemory.element();
            boolean taken = next instanceof RendezvousReceive large ? fetch(large) : reserve((byte[]) next);
            if (!taken) {
                return fetched;
            }
            withoutMemory.remove();
            fetched |= next instanceof RendezvousReceive large && large.lease() != null;
        }
        return fetched;
    }

    private boolean fetch(RendezvousReceive message) {
        long bytes = message.length();
        if (!mayTakeAhead(bytes) || !message.fetch(buffers)) {
            return false;
        }
        unfetched--;
        fetchedBytes += bytes;
        counters.held(bytes);
        return true;
    }

    private boolean reserve(byte[] message) {
        long bytes = blockBytes(message.length);
        UcxBuffer lease = mayTakeAhead(bytes) ? buffers.tryLease(message.length) : null;
        if (lease == null) {
            return false;
        }
        reserved.add(lease);
        reservedBytes += bytes;
        return true;
    }

    private static long blockBytes(long length) {
        return Math.max(UcxBufferPool.MIN_BLOCK_BYTES, length);
    }

    private boolean mayTakeAhead(long bytes) {
        long taken = fetchedBytes + reservedBytes;
        return taken == 0 || taken + bytes <= AHEAD_BYTES;
    }

    /** Releases all messages. Returns whether there were any. */
    boolean clear() {
        boolean any = !messages.isEmpty();
        buffers.cancel();
        withoutMemory.clear();
        unfetched = 0;
        while (!reserved.isEmpty()) {
            takeReserved().release();
        }
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
