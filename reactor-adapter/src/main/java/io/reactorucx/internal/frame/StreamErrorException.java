package io.reactorucx.internal.frame;

/** Thrown when the peer has ended its side of a stream with an error. */
public final class StreamErrorException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int code;

    public StreamErrorException(int code, String text) {
        super(text);
        this.code = code;
    }

    public int code() {
        return code;
    }
}
