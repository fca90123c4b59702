package io.reactorucx.internal.message.send;

/** Whether the outgoing direction of a stream takes sends, and how far its end has come. */
enum OutboundState {

    /** Sends are taken. */
    OPEN,
    /** The default stream of a connection that this side closes: what is queued is sent. */
    CLOSING,
    /** The frame of the end is written behind the last send. */
    ENDING,
    /** Nothing more is sent: the end was written, or the connection or its peer has ended. */
    ENDED,
    /** Nothing more is sent, because the peer takes no more. */
    CANCELLED;

    /** This side closes the connection. */
    OutboundState close() {
        return this == OPEN ? CLOSING : this;
    }

    /** The end is due behind the last send. */
    OutboundState terminate() {
        return this == OPEN || this == CLOSING ? ENDING : this;
    }

    OutboundState end() {
        return hasEnded() ? this : ENDED;
    }

    OutboundState cancel() {
        return hasEnded() ? this : CANCELLED;
    }

    boolean hasEnded() {
        return this == ENDED || this == CANCELLED;
    }
}
