package io.reactorucx.examples.boot.load;

/** A failure that its message explains. */
final class LoadFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    LoadFailure(String message) {
        super(message);
    }
}
