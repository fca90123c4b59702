package io.reactorucx.transport.config;


/**
 * The limits of flow-controlled messages of a connection.
 *
 * @param windowMessages the messages that the sender of a stream may be ahead of its receiver, on either side
 * @param windowBytes the bytes of a stream that the receiving side holds, without messages that stay with their sender
 * @param rendezvousBytes messages above this size stay with their sender until they are fetched
 * @param maxMessageBytes the largest message that this side accepts
 * @param maxStreams the streams that the peer may have open, beside the default stream
 * @param maxWaitingRequests the requests of this side that may wait until the peer takes another one
 * @param batchBytes the largest batch of small messages
 * @param detailedErrors whether the peer gets the texts of the application's errors
 */
public record FlowControlConfig(int windowMessages, int windowBytes, int rendezvousBytes, long maxMessageBytes,
        int maxStreams, int maxWaitingRequests, int batchBytes, boolean detailedErrors) {

    public static final FlowControlConfig DEFAULT = new FlowControlConfig(1024, 1 << 20, 16 << 10, 16L << 20, 1024,
            4096, 8 << 10, false);

    private static final int MAX_WINDOW_MESSAGES = 1 << 16;
    /** The largest message within a batch. */
    public static final int MAX_INLINE_BYTES = 32 << 10;
    /** The smallest window of bytes that a side can have. */
    public static final int MIN_WINDOW_BYTES = 2 * MAX_INLINE_BYTES;
    /** The largest window of bytes that a side can have. */
    public static final int MAX_WINDOW_BYTES = 1 << 30;
    private static final int MIN_BATCH_BYTES = 256;
    private static final int MAX_STREAMS = 1 << 16;
    private static final int MAX_WAITING_REQUESTS = 1 << 20;

    public FlowControlConfig {
        inRange(windowMessages, 1, MAX_WINDOW_MESSAGES, "windowMessages");
        inRange(windowBytes, MIN_WINDOW_BYTES, MAX_WINDOW_BYTES, "windowBytes");
        inRange(rendezvousBytes, 0, MAX_INLINE_BYTES, "rendezvousBytes");
        inRange(maxMessageBytes, 1, Long.MAX_VALUE, "maxMessageBytes");
        inRange(maxStreams, 0, MAX_STREAMS, "maxStreams");
        inRange(maxWaitingRequests, 0, MAX_WAITING_REQUESTS, "maxWaitingRequests");
        inRange(batchBytes, MIN_BATCH_BYTES, MAX_INLINE_BYTES, "batchBytes");
    }

    private static void inRange(long value, long min, long max, String what) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(what + " " + value + ": must be in " + min + ".." + max);
        }
    }

    public FlowControlConfig withWindow(int messages, int bytes) {
        return new FlowControlConfig(messages, bytes, rendezvousBytes, maxMessageBytes, maxStreams, maxWaitingRequests,
                batchBytes, detailedErrors);
    }

    /** Sets the largest message, which has to fit into a block of the buffer pool. */
    public FlowControlConfig withMaxMessageBytes(long bytes, long poolBytes) {
        long maxBytes = Long.highestOneBit(poolBytes);
        if (bytes < 1 || bytes > maxBytes) {
            throw new IllegalArgumentException("maxMessageBytes " + bytes + ": must be in 1.." + maxBytes
                    + ", the largest block of the resources' buffer pool, whose maxBufferBytes is " + poolBytes);
        }
        return new FlowControlConfig(windowMessages, windowBytes, rendezvousBytes, bytes, maxStreams,
                maxWaitingRequests, batchBytes, detailedErrors);
    }

    public FlowControlConfig withSizes(int rendezvous, int batch) {
        return new FlowControlConfig(windowMessages, windowBytes, rendezvous, maxMessageBytes, maxStreams,
                maxWaitingRequests, batch, detailedErrors);
    }

    public FlowControlConfig withMaxStreams(int streams) {
        return new FlowControlConfig(windowMessages, windowBytes, rendezvousBytes, maxMessageBytes, streams,
                maxWaitingRequests, batchBytes, detailedErrors);
    }

    public FlowControlConfig withMaxWaitingRequests(int requests) {
        return new FlowControlConfig(windowMessages, windowBytes, rendezvousBytes, maxMessageBytes, maxStreams,
                requests, batchBytes, detailedErrors);
    }

    public FlowControlConfig withDetailedErrors(boolean value) {
        return new FlowControlConfig(windowMessages, windowBytes, rendezvousBytes, maxMessageBytes, maxStreams,
                maxWaitingRequests, batchBytes, value);
    }
}
