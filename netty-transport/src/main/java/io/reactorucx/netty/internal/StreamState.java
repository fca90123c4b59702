package io.reactorucx.netty.internal;

/** The states of a byte stream. */
enum StreamState {

    /** The two sides have not opened it yet. */
    OPENING,
    OPEN,
    /** The channel has closed before the stream was open, and bytes wait. */
    CLOSING_UNOPENED,
    /** The channel has closed; what it has written still goes. */
    CLOSING,
    /** All that the channel has written has gone, and CLOSE; the peer has not said yet that it has it. */
    LINGERING,
    ENDED;

    boolean isOpen() {
        return this == OPEN || this == CLOSING || this == LINGERING;
    }

    /** Returns whether the stream is open, and its channel has closed. */
    boolean isClosing() {
        return this == CLOSING || this == LINGERING;
    }

    /** Returns whether the channel has closed. */
    boolean isClosed() {
        return this != OPENING && this != OPEN;
    }

    boolean isEnded() {
        return this == ENDED;
    }
}
