package io.reactorucx.engine;

/** The operations that an engine counts. */
public enum OperationKind {
    /** Send of an active message. */
    AM_SEND("am_send"),
    /** Move of an active message's data to the receiver. */
    AM_FETCH("am_recv_data"),
    /** Tagged send. */
    TAG_SEND("tag_send"),
    /** Tagged send that waits for the match. */
    TAG_SEND_SYNC("tag_send_sync"),
    /** Tagged receive. */
    TAG_RECEIVE("tag_recv"),
    /** Write to a peer's memory. */
    PUT("put"),
    /** Read of a peer's memory. */
    GET("get"),
    /** Atomic change of a word of a peer's memory. */
    ATOMIC("atomic_op"),
    /** Send into the byte stream. */
    STREAM_SEND("stream_send"),
    /** Receive out of the byte stream. */
    STREAM_RECEIVE("stream_recv"),
    /** Wait for the peer to see all writes. */
    FLUSH("ep_flush"),
    /** Close of an endpoint. */
    CLOSE("ep_close");

    private final String ucxName;

    OperationKind(String ucxName) {
        this.ucxName = ucxName;
    }

    /** {@return the name that UCX's function has, without its prefix and suffix} */
    public String ucxName() {
        return ucxName;
    }
}
