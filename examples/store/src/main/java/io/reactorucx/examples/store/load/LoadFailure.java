package io.reactorucx.examples.store.load;

/** The exception that ends the program with an error that its user can read. */
final class LoadFailure extends RuntimeException {

    private static final long serialVersionUID = 1;

    LoadFailure(String message) {
        super(message);
    }
}
