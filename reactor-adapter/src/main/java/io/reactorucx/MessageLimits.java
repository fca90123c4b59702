package io.reactorucx;

/**
 * Bounds of the flow-controlled messages of a connection.
 *
 * @param windowMessages most messages that the sender of a stream may be ahead of its receiver, on either side
 * @param windowBytes most bytes of them that the receiving side holds, those aside that are still with their sender
 * @param rendezvousBytes messages above this size stay with their sender until they are fetched
 * @param maxMessageBytes largest message that this side takes
 * @param maxStreams most streams beside the default one that the peer may have open
 * @param batchBytes up to how many bytes of small messages travel together
 */
record MessageLimits(int windowMessages, int windowBytes, int rendezvousBytes, long maxMessageBytes, int maxStreams, int batchBytes) {

    static final MessageLimits DEFAULT = new MessageLimits(1024, 1 << 20, 16 << 10, 16L << 20, 1024, 8 << 10);

    private static final int MAX_WINDOW_MESSAGES = 1 << 16;
    private static final int MIN_WINDOW_BYTES = 2 * MessageFrames.MAX_INLINE_BYTES;
    private static final int MAX_WINDOW_BYTES = 1 << 30;
    private static final int MIN_BATCH_BYTES = 256;
    private static final int MAX_STREAMS = 1 << 16;

    MessageLimits {
        inRange(windowMessages, 1, MAX_WINDOW_MESSAGES, "windowMessages");
        inRange(windowBytes, MIN_WINDOW_BYTES, MAX_WINDOW_BYTES, "windowBytes");
        inRange(rendezvousBytes, 0, MessageFrames.MAX_INLINE_BYTES, "rendezvousBytes");
        inRange(maxMessageBytes, 1, Long.MAX_VALUE, "maxMessageBytes");
        inRange(maxStreams, 0, MAX_STREAMS, "maxStreams");
        inRange(batchBytes, MIN_BATCH_BYTES, MessageFrames.MAX_INLINE_BYTES, "batchBytes");
    }

    private static void inRange(long value, long min, long max, String what) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(what + " " + value + ": must be in " + min + ".." + max);
        }
    }

    MessageLimits withWindow(int messages, int bytes) {
        return new MessageLimits(messages, bytes, rendezvousBytes, maxMessageBytes, maxStreams, batchBytes);
    }

    MessageLimits withMaxMessageBytes(long bytes) {
        return new MessageLimits(windowMessages, windowBytes, rendezvousBytes, bytes, maxStreams, batchBytes);
    }

    MessageLimits withSizes(int rendezvous, int batch) {
        return new MessageLimits(windowMessages, windowBytes, rendezvous, maxMessageBytes, maxStreams, batch);
    }

    MessageLimits withMaxStreams(int streams) {
        return new MessageLimits(windowMessages, windowBytes, rendezvousBytes, maxMessageBytes, streams, batchBytes);
    }
}
