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
    ENDED;

    boolean isOpen() {
        return this == OPEN || this == CLOSING;
    }

    boolean isEnded() {
        return this == ENDED;
    }
}
