package io.reactorucx.internal.connection;

/**
 * Where a connection is in its life. {@link ConnectionLifecycle} says which event leads from one phase to which other;
 * the diagram in {@code docs/architecture.md} shows the same.
 */
public enum ConnectionPhase {

    /** The handshake is in progress; an endpoint that exists is wired up. */
    CONNECTING(Stage.CONNECTING),

    /** UCX wires the endpoint up: nothing may be sent over it, and UCX 1.13 may abort when it is closed. */
    WIRING(Stage.CONNECTING),

    /** Connecting was given up while UCX wires the endpoint up; the endpoint closes when that has ended. */
    ABANDONED(Stage.CONNECTING),

    /** This side has rejected the peer, which has some time to read why before its endpoint is closed. */
    REJECTED(Stage.CONNECTING),

    /** The connection is in use. */
    CONNECTED(Stage.OPEN),

    /** A raw peer has closed its endpoint, while messages that it has sent before may still stand in shared memory. */
    LAST_ARRIVALS(Stage.OPEN),

    /** The peer has sent FIN, and this side may still send: its subscribers are just being told. */
    PEER_FINISHED(Stage.OPEN),

    /** As {@link #PEER_FINISHED}, and this side has sent FIN_ACK. */
    PEER_ACKNOWLEDGED(Stage.OPEN),

    /** This side closes gracefully: no new operations, those in flight complete. */
    DRAINING(Stage.DRAINING),

    /** This side has sent FIN and waits for the peer's FIN_ACK. */
    FIN_SENT(Stage.DRAINING),

    /** The peer has sent FIN; this side sends FIN_ACK when the application has everything that was sent before. */
    FIN_RECEIVED(Stage.DRAINING),

    /** This side has sent FIN_ACK; the connection ends when its operations have completed and the peer has left. */
    FIN_ACKNOWLEDGED(Stage.DRAINING),

    /** Both sides have nothing more to send; a last flush of the endpoint is in flight. */
    LEAVING(Stage.DRAINING),

    /** Every operation and subscriber is being told of the end; then the endpoint is released or closed. */
    TERMINATING(Stage.DRAINING),

    /** As {@link #TERMINATING}, after the time for closing is over: the endpoint is closed and not released. */
    ABORTING(Stage.DRAINING),

    /** The close timed out, and error mode NONE allows no close while operations are in flight. */
    STUCK(Stage.DRAINING),

    /** Both sides agree that nothing uses their endpoints any more, so that another connection may have them. */
    RELEASING(Stage.ENDPOINT_CLOSING),

    /** {@code ucp_ep_close_nbx} is in flight. */
    CLOSING_ENDPOINT(Stage.ENDPOINT_CLOSING),

    /** The close of the endpoint takes longer than it may: only UCX's own use of memory is still waited for. */
    OVERDUE(Stage.ENDPOINT_CLOSING),

    /** The endpoint is released or closed, and UCX still uses memory of operations. */
    ENDPOINT_GONE(Stage.ENDPOINT_CLOSING),

    /** The connection has ended, and everything of it is free. */
    CLOSED(Stage.CLOSED);

    private enum Stage { CONNECTING, OPEN, DRAINING, ENDPOINT_CLOSING, CLOSED }

    private final Stage stage;

    ConnectionPhase(Stage stage) {
        this.stage = stage;
    }

    /** Returns whether the connection is not established yet. */
    public boolean isConnecting() {
        return stage == Stage.CONNECTING;
    }

    /** Returns whether new operations may be posted. */
    public boolean allowsOperations() {
        return stage == Stage.OPEN;
    }

    /** Returns whether the connection is established and neither side has begun to close it. */
    public boolean isConnected() {
        return this == CONNECTED || this == LAST_ARRIVALS;
    }

    /** Returns whether frames of the protocols travel, in both directions. */
    boolean carriesMessages() {
        return stage == Stage.OPEN || stage == Stage.DRAINING;
    }

    /** Returns whether control frames may be sent: until the endpoint is released or closes. */
    boolean carriesControl() {
        return stage == Stage.CONNECTING || carriesMessages();
    }

    /** Returns whether a close by this side has begun, or one by the peer. */
    public boolean isClosing() {
        return stage == Stage.DRAINING || stage == Stage.ENDPOINT_CLOSING || this == PEER_FINISHED
                || this == PEER_ACKNOWLEDGED;
    }

    /** Returns whether operations and protocols are waited for, before the endpoint is released or closed. */
    boolean isDraining() {
        return stage == Stage.DRAINING;
    }

    /** Returns whether completing operations may take the end a step further. */
    boolean isEnding() {
        return stage == Stage.DRAINING || stage == Stage.ENDPOINT_CLOSING;
    }

    /** Returns whether the peer has sent FIN, or has been told that this side has nothing more to send. */
    boolean isFarewell() {
        return switch (this) {
            case PEER_FINISHED, PEER_ACKNOWLEDGED, FIN_RECEIVED, FIN_ACKNOWLEDGED, LEAVING -> true;
            default -> false;
        };
    }
}
