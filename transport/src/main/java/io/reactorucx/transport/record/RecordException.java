package io.reactorucx.transport.record;

/** A record was changed, has come before, or is none: whoever has sent it is not the peer, and the connection ends. */
public final class RecordException extends Exception {

    private static final long serialVersionUID = 1L;

    public RecordException(String message) {
        super(message);
    }
}
