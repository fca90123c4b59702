package io.reactorucx.transport.config;

import io.reactorucx.transport.OverflowPolicy;
import java.util.Objects;

/** The limits of the active messages of one id that wait for demand, and the policy for messages beyond. */
public record ReceiveQueueConfig(int maxMessages, long maxBytes, OverflowPolicy overflow, int maxHeldOffers) {

    static final ReceiveQueueConfig DEFAULT = new ReceiveQueueConfig(1024, 16L << 20, OverflowPolicy.ERROR, 1024);

    public ReceiveQueueConfig {
        Objects.requireNonNull(overflow, "policy");
        if (maxMessages < 1) {
            throw new IllegalArgumentException("maxQueuedMessages " + maxMessages + ": must be at least 1");
        }
        if (maxBytes < 1) {
            throw new IllegalArgumentException("maxQueuedBytes " + maxBytes + ": must be at least 1");
        }
        if (maxHeldOffers < 1) {
            throw new IllegalArgumentException("maxHeldOffers " + maxHeldOffers + ": must be at least 1");
        }
    }

    public ReceiveQueueConfig with(int messages, long bytes, OverflowPolicy policy) {
        return new ReceiveQueueConfig(messages, bytes, policy, maxHeldOffers);
    }

    public ReceiveQueueConfig withMaxHeldOffers(int count) {
        return new ReceiveQueueConfig(maxMessages, maxBytes, overflow, count);
    }
}
