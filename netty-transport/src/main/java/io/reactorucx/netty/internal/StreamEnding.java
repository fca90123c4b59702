package io.reactorucx.netty.internal;

import org.jspecify.annotations.Nullable;

/**
 * The frames that end a byte stream: FIN or CLOSE behind the last byte, and the CLOSED by which a side that lingers
 * learns that the peer has it all.
 *
 * <p>Thread: loop.
 */
final class StreamEnding {

    private boolean finWanted;
    private boolean finSent;
    private boolean closedOwed;
    private @Nullable Runnable whenOver;

    /** No more is written. */
    void wantFin() {
        finWanted = true;
    }

    /** Has an action run as soon as the peer has all that was written, or the stream has ended. */
    void linger(Runnable action) {
        whenOver = action;
    }

    /** The peer has all, will have no more, or has had its time. */
    void lingerOver() {
        Runnable action = whenOver;
        if (action != null) {
            whenOver = null;
            action.run();
        }
    }

    /** Returns the frame that goes behind the last byte, null for none. */
    StreamFrame.@Nullable Type next(StreamState state, boolean peerClosed) {
        if (state == StreamState.CLOSING) {
            return whenOver == null || peerClosed ? StreamFrame.Type.CLOSE : StreamFrame.Type.CLOSE_LINGERING;
        }
        return state == StreamState.OPEN && finWanted && !finSent ? StreamFrame.Type.FIN : null;
    }

    void finSent() {
        finSent = true;
    }

    /** The peer sends no more; it may want to know when all has come. */
    void peerEnds(StreamFrame.Type type) {
        closedOwed |= type == StreamFrame.Type.CLOSE_LINGERING;
    }

    /** Returns whether the peer is to be told that all has come. */
    boolean owesClosed() {
        return closedOwed;
    }

    void closedSent() {
        closedOwed = false;
    }
}
