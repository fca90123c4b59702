package io.reactorucx.transport;

/** The reason why an active message was dropped. */
public enum DropReason {
    /**
     * Nobody receives the id of the message: its receiver has left, the connection ended before it had one, or with a
     * raw peer there is none; or UCX does not tell over which connection it arrived.
     */
    NO_RECEIVER,
    /**
     * The message named the endpoint of a connection with a framework peer, and did not carry that connection's token:
     * another process has sent it, or it is late and belongs to an earlier connection of the endpoint.
     */
    WRONG_TOKEN,
    /** The message is not part of the protocol of its reserved id. */
    GARBAGE,
    /** The message arrived while the queue was full, which failed the Flux: {@link OverflowPolicy#ERROR}. */
    OVERFLOW_ERROR,
    /** The message arrived while the queue was full: {@link OverflowPolicy#DROP_NEWEST}. */
    OVERFLOW_DROP_NEWEST,
    /** The message was the oldest in a full queue: {@link OverflowPolicy#DROP_OLDEST}. */
    OVERFLOW_DROP_OLDEST,
    /**
     * The message arrived while the maximum of offers was held, or while the queue was full of other messages:
     * {@link OverflowPolicy#HOLD}.
     */
    OVERFLOW_HOLD
}
