package io.reactorucx;

/** The peer ended what it sent on a stream with an error. */
final class StreamErrorException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int code;

    StreamErrorException(int code, String text) {
        super(text);
        this.code = code;
    }

    int code() {
        return code;
    }
}
