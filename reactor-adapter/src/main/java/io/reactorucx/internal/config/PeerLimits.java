package io.reactorucx.internal.config;

/**
 * The limits that a side announces to its peer.
 *
 * @param maxHeaderBytes the largest header of an active message
 * @param maxMessageBytes the largest message
 * @param maxStreams the streams that may be open at a time
 */
public record PeerLimits(int maxHeaderBytes, long maxMessageBytes, int maxStreams) {

    public static final PeerLimits DEFAULT = new PeerLimits(0, 64L << 20, 1024);

    public PeerLimits withMaxHeaderBytes(int value) {
        return new PeerLimits(value, maxMessageBytes, maxStreams);
    }
}
