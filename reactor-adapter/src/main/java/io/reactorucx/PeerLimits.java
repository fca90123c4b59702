package io.reactorucx;

/**
 * What a side takes at most, as it tells its peer.
 *
 * @param maxHeaderBytes largest header of an active message
 * @param maxMessageBytes largest message
 * @param maxStreams most logical streams at a time
 */
record PeerLimits(int maxHeaderBytes, long maxMessageBytes, int maxStreams) {

    static final PeerLimits DEFAULT = new PeerLimits(0, 64L << 20, 1024);

    PeerLimits withMaxHeaderBytes(int value) {
        return new PeerLimits(value, maxMessageBytes, maxStreams);
    }
}
