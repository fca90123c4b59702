package io.reactorucx;

import java.util.Objects;

/** How many active messages of one id may wait for demand, and what happens to one more. */
record ReceiveQueue(int maxMessages, long maxBytes, OverflowPolicy overflow, int maxHeldOffers) {

    static final ReceiveQueue DEFAULT = new ReceiveQueue(1024, 16L << 20, OverflowPolicy.ERROR, 1024);

    ReceiveQueue {
        Objects.requireNonNull(overflow, "policy");
        if (maxMessages < 1) {
            throw new IllegalArgumentException("maxQueuedMessages " + maxMessages + ": at least 1");
        }
        if (maxBytes < 1) {
            throw new IllegalArgumentException("maxQueuedBytes " + maxBytes + ": at least 1");
        }
        if (maxHeldOffers < 1) {
            throw new IllegalArgumentException("maxHeldOffers " + maxHeldOffers + ": at least 1");
        }
    }

    ReceiveQueue with(int messages, long bytes, OverflowPolicy policy) {
        return new ReceiveQueue(messages, bytes, policy, maxHeldOffers);
    }

    ReceiveQueue withMaxHeldOffers(int count) {
        return new ReceiveQueue(maxMessages, maxBytes, overflow, count);
    }
}
