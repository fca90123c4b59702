package io.reactorucx.examples.store.client;

/**
 * No replica has answered within the deadline. The same request may succeed later; a write may have been done, and is
 * not begun any more.
 *
 * <p><b>Threading:</b> immutable. <b>Ownership:</b> none. <b>Errors:</b> none.
 */
public final class StoreUnavailableException extends RuntimeException {

    private static final long serialVersionUID = 1;

    /**
     * An error that may pass.
     *
     * @param message what happened
     */
    public StoreUnavailableException(String message) {
        super(message);
    }
}
