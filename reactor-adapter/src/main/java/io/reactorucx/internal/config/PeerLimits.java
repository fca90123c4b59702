package io.reactorucx.internal.config;

/**
 * What a side takes at most, as it tells its peer.
 *
 * @param maxHeaderBytes largest header of an active message
 * @param maxMessageBytes largest message
 * @param maxStreams most logical streams at a time
 */
public record PeerLimits(int maxHeaderBytes, long maxMessageBytes, int maxStreams) {

    public static final PeerLimits DEFAULT = new PeerLimits(0, 64L << 20, 1024);

    public PeerLimits withMaxHeaderBytes(int value) {
        return new PeerLimits(value, maxMessageBytes, maxStreams);
    }
}
