package io.reactorucx.internal.message.context;

import io.reactorucx.transport.config.FlowControlConfig;

/**
 * What the peer of a connection takes.
 *
 * <p>Thread: set by the engine, read by any.
 */
public final class PeerLimits {

    private volatile long maxMessageBytes = FlowControlConfig.DEFAULT.maxMessageBytes();
    private volatile boolean takesTraces;

    public void maxMessageBytes(long bytes) {
        maxMessageBytes = bytes;
    }

    /** Returns the largest message that the peer takes. */
    public long maxMessageBytes() {
        return maxMessageBytes;
    }

    /** Refuses a message that is larger than the peer takes. */
    public void checkLength(long length) {
        long max = maxMessageBytes;
        if (length > max) {
            throw new IllegalArgumentException("message of " + length + " bytes: the peer takes at most " + max);
        }
    }

    public void takesTraces(boolean takes) {
        takesTraces = takes;
    }

    /** Returns whether the peer reads a trace context in the head of a request. */
    public boolean takesTraces() {
        return takesTraces;
    }
}
