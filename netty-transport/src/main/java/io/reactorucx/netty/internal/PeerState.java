package io.reactorucx.netty.internal;

/** The states of the other side of a byte stream, as this side knows it, and what leads from one to the next. */
enum PeerState {

    /** The socket has not told which channel the peer has. */
    UNKNOWN,
    /** The peer's channel is known; the stream is not open. */
    KNOWN,
    /** The peer has answered that it has no such channel; its socket will tell whether it has closed it in order. */
    REFUSED,
    /** The peer's socket has ended in order after this side has asked it to open the stream. */
    LEFT,
    /** The peer has opened the stream, or was told that it is open. */
    OPEN,
    /** The peer has closed its channel in order: it sends no more, and reads no more. */
    CLOSED;

    /** What the socket or a frame tells. */
    enum Event {
        /** The socket tells which channel the peer has. */
        GREETED,
        /** RESET has come instead of OPEN. */
        REFUSED,
        /** The socket has ended in order, and this side has asked the peer to open the stream. */
        LEFT,
        /** Both sides have opened the stream. */
        OPENED,
        /** CLOSE has come, or the socket has ended in order before this side has asked. */
        CLOSED
    }

    /** Returns the state after an event: this one if it ignores the event. */
    PeerState after(Event event) {
        return switch (this) {
            case UNKNOWN -> switch (event) {
                case GREETED -> KNOWN;
                case CLOSED -> CLOSED;
                case REFUSED, LEFT, OPENED -> this;
            };
            case KNOWN -> switch (event) {
                case REFUSED -> REFUSED;
                case LEFT -> LEFT;
                case OPENED -> OPEN;
                case CLOSED -> CLOSED;
                case GREETED -> this;
            };
            case REFUSED -> switch (event) {
                case OPENED -> OPEN;
                case LEFT, CLOSED -> CLOSED;
                case GREETED, REFUSED -> this;
            };
            case LEFT -> switch (event) {
                case OPENED -> OPEN;
                case REFUSED, CLOSED -> CLOSED;
                case GREETED, LEFT -> this;
            };
            case OPEN -> event == Event.CLOSED ? CLOSED : this;
            case CLOSED -> this;
        };
    }

    boolean isClosed() {
        return this == CLOSED;
    }
}
