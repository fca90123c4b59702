package io.reactorucx.internal.message;

/** How far the end of a connection's messages has come on either side. */
enum MessagePhase {

    OPEN,
    /** This side closes: what is queued is sent, and nothing new is taken. */
    CLOSING,
    /** The peer has sent its last message. */
    PEER_FINISHED,
    /** This side closes, and the peer has sent its last message. */
    CLOSING_PEER_FINISHED,
    /** No frame is sent or applied any more. */
    ENDED;

    /** This side closes. */
    MessagePhase close() {
        return switch (this) {
            case OPEN -> CLOSING;
            case PEER_FINISHED -> CLOSING_PEER_FINISHED;
            case CLOSING, CLOSING_PEER_FINISHED, ENDED -> this;
        };
    }

    /** The peer has sent LAST. */
    MessagePhase peerFinishes() {
        return switch (this) {
            case OPEN -> PEER_FINISHED;
            case CLOSING -> CLOSING_PEER_FINISHED;
            case PEER_FINISHED, CLOSING_PEER_FINISHED, ENDED -> this;
        };
    }

    boolean isClosing() {
        return this == CLOSING || this == CLOSING_PEER_FINISHED;
    }

    boolean hasPeerFinished() {
        return this == PEER_FINISHED || this == CLOSING_PEER_FINISHED;
    }
}
