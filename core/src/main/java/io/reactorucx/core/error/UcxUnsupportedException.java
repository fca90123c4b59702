package io.reactorucx.core.error;

/**
 * Something that the loaded library, the error mode or the features of the context do not allow; the message says
 * which.
 */
public final class UcxUnsupportedException extends UcxException {

    private static final long serialVersionUID = 1L;

    /**
     * Names what is not supported and why.
     *
     * @param operation what was tried
     * @param reason why it cannot be done, and what would allow it
     */
    public UcxUnsupportedException(String operation, String reason) {
        super(UcxStatus.UNSUPPORTED, operation, null, reason);
    }
}
