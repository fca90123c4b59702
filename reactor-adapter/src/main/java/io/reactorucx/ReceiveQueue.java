package io.reactorucx;

import java.util.Objects;

/** How many active messages of one id may wait for demand, and what happens to one more. */
record ReceiveQueue(int maxMessages, long maxBytes, OverflowPolicy overflow) {

    static final ReceiveQueue DEFAULT = new ReceiveQueue(1024, 16L << 20, OverflowPolicy.ERROR);

    ReceiveQueue {
        Objects.requireNonNull(overflow, "policy");
        if (maxMessages < 1) {
            throw new IllegalArgumentException("maxQueuedMessages " + maxMessages + ": at least 1");
        }
        if (maxBytes < 1) {
            throw new IllegalArgumentException("maxQueuedBytes " + maxBytes + ": at least 1");
        }
    }
}
