package io.reactorucx.internal.message.receive;

import io.reactorucx.transport.frame.ProtocolViolationException;

/** What the incoming direction of a stream does with messages of the peer, and whether the peer is to be told. */
enum InboundState {

    /** Messages are taken. */
    OPEN,
    /** Nothing more is taken; CANCEL is to be written. */
    CANCEL_DUE,
    /** Nothing more is taken, as the peer is told. */
    CANCELLED,
    /** The end is known, and is signalled behind what waits; CANCEL is to be written. */
    ENDED_CANCEL_DUE,
    /** The end is known, and is signalled behind what waits. */
    ENDED;

    /** This side takes no more. */
    InboundState cancel() {
        return this == OPEN ? CANCEL_DUE : this;
    }

    /** The end is known, and the peer may still send. */
    InboundState end() {
        return switch (this) {
            case OPEN, CANCELLED, ENDED -> ENDED;
            case CANCEL_DUE, ENDED_CANCEL_DUE -> ENDED_CANCEL_DUE;
        };
    }

    /** CANCEL was written, or nothing can be written any more. */
    InboundState cancelWritten() {
        return switch (this) {
            case CANCEL_DUE -> CANCELLED;
            case ENDED_CANCEL_DUE -> ENDED;
            case OPEN, CANCELLED, ENDED -> this;
        };
    }

    /** The peer has answered a CANCEL of the default stream, which is open for its next subscriber. */
    InboundState reset() {
        return switch (this) {
            case CANCELLED -> OPEN;
            // The answer may come behind the end of the connection.
            case ENDED -> ENDED;
            case OPEN, CANCEL_DUE, ENDED_CANCEL_DUE ->
                throw new ProtocolViolationException("RESET of a stream that was not cancelled");
        };
    }

    boolean isCancelDue() {
        return this == CANCEL_DUE || this == ENDED_CANCEL_DUE;
    }

    boolean isEnded() {
        return this == ENDED || this == ENDED_CANCEL_DUE;
    }
}
