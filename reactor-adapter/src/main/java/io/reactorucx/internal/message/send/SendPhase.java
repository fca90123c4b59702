package io.reactorucx.internal.message.send;

/** How far the sending side of a connection has come, in this order. */
enum SendPhase {

    /** The peer was sent nothing, not even this side's limits. */
    NEW,
    /** SETTINGS with this side's limits was written. */
    ANNOUNCED,
    /** LAST was written into a batch. */
    LAST_WRITTEN,
    /** UCX has the batch with LAST. */
    LAST_SENT,
    /** Nothing is sent any more: the connection has ended, or UCX refuses for good. */
    STOPPED
}
