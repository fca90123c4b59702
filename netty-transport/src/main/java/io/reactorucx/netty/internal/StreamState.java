package io.reactorucx.netty.internal;

/** The states of this side of a byte stream, and what leads from one to the next. */
enum StreamState {

    /** The two sides have not opened it yet. */
    OPENING,
    OPEN,
    /** The channel has closed before the stream was open, and bytes wait. */
    CLOSING_UNOPENED,
    /** The channel has closed; what it has written still goes. */
    CLOSING,
    /** All that the channel has written has gone, and CLOSE; the peer has not said yet that it has it. */
    LINGERING,
    ENDED;

    /** What happens to this side of a stream. */
    enum Event {
        /** Both sides have opened the stream. */
        OPENED,
        /** The channel has closed, and what it has written is to go. */
        CLOSED,
        /** CLOSE_LINGERING was sent. */
        LINGERS,
        /** Nothing is sent or taken any more. */
        ENDED
    }

    /** Returns the state after an event: this one if it ignores the event. */
    StreamState after(Event event) {
        return switch (event) {
            case OPENED -> switch (this) {
                case OPENING -> OPEN;
                case CLOSING_UNOPENED -> CLOSING;
                case OPEN, CLOSING, LINGERING, ENDED -> this;
            };
            case CLOSED -> switch (this) {
                case OPENING -> CLOSING_UNOPENED;
                case OPEN -> CLOSING;
                case CLOSING_UNOPENED, CLOSING, LINGERING, ENDED -> this;
            };
            case LINGERS -> this == CLOSING ? LINGERING : this;
            case ENDED -> ENDED;
        };
    }

    boolean isOpen() {
        return this == OPEN || this == CLOSING || this == LINGERING;
    }

    /** Returns whether the stream is open, and its channel has closed. */
    boolean isClosing() {
        return this == CLOSING || this == LINGERING;
    }

    /** Returns whether the channel has closed. */
    boolean isClosed() {
        return this != OPENING && this != OPEN;
    }

    boolean isEnded() {
        return this == ENDED;
    }
}
