package io.reactorucx.core.error;

import org.jspecify.annotations.Nullable;

/** A call on an object that this side has closed, or an operation that was in flight on it. */
public final class UcxClosedException extends UcxException {

    private static final long serialVersionUID = 1L;

    /**
     * Names what is closed.
     *
     * @param operation what was tried
     * @param closed what is closed, in a few words
     */
    public UcxClosedException(String operation, String closed) {
        super(UcxStatus.CANCELED, operation, null, closed + " is closed");
    }

    /**
     * Names what is closed and the peer of the connection.
     *
     * @param operation what was tried
     * @param peer name of the other side
     * @param detail what is closed, and by whom
     */
    public UcxClosedException(String operation, @Nullable String peer, String detail) {
        super(UcxStatus.CANCELED, operation, peer, detail);
    }

    /**
     * Names what is closed, and the error that closed it.
     *
     * @param operation what was tried
     * @param peer name of the other side, if there is one
     * @param detail what is closed, and by what
     * @param cause the error
     */
    public UcxClosedException(String operation, @Nullable String peer, String detail, Throwable cause) {
        super(UcxStatus.CANCELED, operation, peer, detail, cause);
    }
}
