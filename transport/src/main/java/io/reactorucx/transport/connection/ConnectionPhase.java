package io.reactorucx.transport.connection;

/**
 * The phases of a connection. {@link ConnectionLifecycle} defines the transitions; the diagram in
 * {@code docs/spec/architecture.md} shows them.
 */
public enum ConnectionPhase {

    /** The handshake is in progress; an endpoint that exists is wired up. */
    CONNECTING(Stage.CONNECTING),

    /** UCX wires the endpoint up. Nothing may be sent over it; UCX 1.13 may abort the process if it is closed. */
    WIRING(Stage.CONNECTING),

    /** Connecting was aborted while UCX wires the endpoint up; the endpoint closes after that. */
    ABANDONED(Stage.CONNECTING),

    /** This side has rejected the peer, which may read the reason until the close timeout. */
    REJECTED(Stage.CONNECTING),

    /** The connection is established. */
    CONNECTED(Stage.OPEN),

    /** A raw peer has closed its endpoint; messages that it sent before may still stand in shared memory. */
    LAST_ARRIVALS(Stage.OPEN),

    /** The peer has sent FIN, and this side may still send while its subscribers are signalled the end. */
    PEER_FINISHED(Stage.OPEN),

    /** As {@link #PEER_FINISHED}, and this side has sent FIN_ACK. */
    PEER_ACKNOWLEDGED(Stage.OPEN),

    /** This side closes gracefully: it posts no new operations, and those in flight complete. */
    DRAINING(Stage.ENDING),

    /** This side has sent FIN and waits for the peer's FIN_ACK. */
    FIN_SENT(Stage.ENDING),

    /** The peer has sent FIN; this side sends FIN_ACK when the application has received all that was sent before. */
    FIN_RECEIVED(Stage.ENDING),

    /** This side has sent FIN_ACK; the connection ends when its operations have completed and the peer has left. */
    FIN_ACKNOWLEDGED(Stage.ENDING),

    /** Neither side sends anything more; a last flush of the endpoint is in flight. */
    LEAVING(Stage.ENDING),

    /** Operations and subscribers are terminated; then the endpoint is released or closed. */
    TERMINATING(Stage.ENDING),

    /** As {@link #TERMINATING} after the deadline for closing: the endpoint is closed, not released. */
    ABORTING(Stage.ENDING),

    /** The close has timed out, and error mode NONE allows no close of the endpoint while operations are in flight. */
    STUCK(Stage.ENDING),

    /** Both sides agree that nothing is in flight on their endpoints, so that another connection can use them. */
    RELEASING(Stage.ENDPOINT_CLOSING),

    /** {@code ucp_ep_close_nbx} is in flight. */
    CLOSING_ENDPOINT(Stage.ENDPOINT_CLOSING),

    /** The close of the endpoint has exceeded the deadline: the connection only waits while UCX uses memory. */
    OVERDUE(Stage.ENDPOINT_CLOSING),

    /** The endpoint is released or closed, and UCX still uses memory of operations. */
    ENDPOINT_GONE(Stage.ENDPOINT_CLOSING),

    /** The connection has ended, and all its memory is free. */
    CLOSED(Stage.CLOSED);

    private enum Stage { CONNECTING, OPEN, ENDING, ENDPOINT_CLOSING, CLOSED }

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

    /** Returns whether messages of the protocols may be sent and are received. */
    boolean carriesMessages() {
        return stage == Stage.OPEN || stage == Stage.ENDING;
    }

    /** Returns whether control frames may be sent: until the endpoint is released or closes. */
    boolean carriesControl() {
        return stage == Stage.CONNECTING || carriesMessages();
    }

    /** Returns whether this side or the peer has started to close. */
    public boolean isClosing() {
        return stage == Stage.ENDING || stage == Stage.ENDPOINT_CLOSING || this == PEER_FINISHED
                || this == PEER_ACKNOWLEDGED;
    }

    /** Returns whether the connection waits for operations and protocols before it releases or closes the endpoint. */
    boolean isDraining() {
        return stage == Stage.ENDING;
    }

    /** Returns whether the completion of an operation may be what the close waits for. */
    boolean isEnding() {
        return stage == Stage.ENDING || stage == Stage.ENDPOINT_CLOSING;
    }

    /** Returns whether the loss of the peer is no error: it has sent FIN, or both sides have nothing more to send. */
    boolean isFarewell() {
        return switch (this) {
            case PEER_FINISHED, PEER_ACKNOWLEDGED, FIN_RECEIVED, FIN_ACKNOWLEDGED, LEAVING -> true;
            default -> false;
        };
    }
}
