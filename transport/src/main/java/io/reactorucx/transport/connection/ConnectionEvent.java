package io.reactorucx.transport.connection;

/** The events that {@link ConnectionLifecycle} knows. */
public enum ConnectionEvent {

    /** UCX has begun to wire the endpoint up. */
    WIRE_UP_STARTED,

    /** The endpoint is wired up, or has failed. */
    WIRE_UP_ENDED,

    /** Connecting is aborted: by the subscriber, or because the handshake has failed. */
    ABANDON,

    /** This side rejects the peer. */
    REJECT,

    /** The handshake has succeeded. */
    HANDSHAKE_DONE,

    /** The application, or the peer's FIN, asks for a graceful close. */
    CLOSE,

    /** The application asks for a close by force, or a graceful close is impossible. */
    FORCE_CLOSE,

    /** The peer has sent FIN. */
    FIN_ARRIVED,

    /** This side sends FIN. */
    FIN,

    /** This side has sent FIN_ACK. */
    FIN_ACK,

    /** Neither side sends anything more: the peer has sent FIN_ACK, or this side has and its operations completed. */
    FAREWELL_DONE,

    /** The last flush has completed. */
    LAST_FLUSH_DONE,

    /** Everything in flight has completed, and the endpoint closes without FIN. */
    DRAINED,

    /** A raw peer has closed its endpoint. */
    RAW_PEER_LEFT,

    /** The peer no longer uses its endpoint. */
    PEER_LEFT,

    /** The endpoint has failed, the control socket has ended, or heartbeats are missing. */
    PEER_FAILED,

    /** This side has sent RELEASE, so that the next connection can use the endpoint. */
    RELEASE_STARTED,

    /** The close of the endpoint has been posted. */
    CLOSE_STARTED,

    /** The endpoint cannot be closed while operations are in flight. */
    CLOSE_POSTPONED,

    /** The endpoint is released or closed, or was never made. */
    ENDPOINT_GONE,

    /** The deadline for closing has passed. */
    TIMEOUT,

    /** UCX no longer uses the memory of any operation. */
    OPERATIONS_DONE,

    /** The engine has closed. */
    ENGINE_CLOSED
}
