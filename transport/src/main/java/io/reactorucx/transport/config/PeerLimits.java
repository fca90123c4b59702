package io.reactorucx.transport.config;

/**
 * The limits that a side announces to its peer.
 *
 * @param maxHeaderBytes the largest header of an active message
 * @param maxMessageBytes the largest message
 * @param maxStreams the streams that may be open at a time
 * @param windowBytes the bytes of batches that the peer may have in flight, unacknowledged
 */
public record PeerLimits(int maxHeaderBytes, long maxMessageBytes, int maxStreams, int windowBytes) {

    public static final PeerLimits DEFAULT = new PeerLimits(0, 64L << 20, 1024,
            FlowControlConfig.MIN_WINDOW_BYTES);

    public PeerLimits withMaxHeaderBytes(int value) {
        return new PeerLimits(value, maxMessageBytes, maxStreams, windowBytes);
    }

    public PeerLimits withMaxMessageBytes(long value) {
        return new PeerLimits(maxHeaderBytes, value, maxStreams, windowBytes);
    }

    public PeerLimits withWindowBytes(int value) {
        return new PeerLimits(maxHeaderBytes, maxMessageBytes, maxStreams, value);
    }
}
