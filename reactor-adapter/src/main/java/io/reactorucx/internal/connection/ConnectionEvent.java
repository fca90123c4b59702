package io.reactorucx.internal.connection;

/** What happens to a connection, as {@link ConnectionLifecycle} sees it. */
public enum ConnectionEvent {

    /** UCX has begun to wire the endpoint up. */
    WIRE_UP_STARTED,

    /** The endpoint is wired up, or has failed. */
    WIRE_UP_ENDED,

    /** Connecting is given up: by the subscriber, or because the handshake failed. */
    ABANDON,

    /** This side rejects the peer. */
    REJECT,

    /** The handshake has succeeded. */
    HANDSHAKE_DONE,

    /** The application, or the peer's FIN, asks for a graceful close. */
    CLOSE,

    /** The application asks for a close by force, or a graceful one is impossible. */
    FORCE_CLOSE,

    /** The peer has sent FIN. */
    FIN_ARRIVED,

    /** This side sends FIN. */
    FIN,

    /** This side has sent FIN_ACK. */
    FIN_ACK,

    /** Neither side has anything more to send: the peer has sent FIN_ACK, or nothing but its leaving is awaited. */
    FAREWELL_DONE,

    /** The last flush has completed. */
    LAST_FLUSH_DONE,

    /** Everything in flight has completed, and the endpoint closes without FIN. */
    DRAINED,

    /** A raw peer has closed its endpoint. */
    RAW_PEER_LEFT,

    /** The peer uses its endpoint no more. */
    PEER_LEFT,

    /** The endpoint has failed, the control socket has ended, or heartbeats are missing. */
    PEER_FAILED,

    /** RELEASE was sent: the endpoint is offered to the next connection. */
    RELEASE_STARTED,

    /** The close of the endpoint has been posted. */
    CLOSE_STARTED,

    /** The endpoint cannot be closed while operations are in flight. */
    CLOSE_POSTPONED,

    /** The endpoint is released or closed, or there never was one. */
    ENDPOINT_GONE,

    /** The time for closing, or for what was waited for in its place, is over. */
    TIMEOUT,

    /** UCX uses no memory of any operation any more. */
    OPERATIONS_DONE,

    /** The engine has ended. */
    ENGINE_CLOSED
}
