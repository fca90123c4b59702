package io.reactorucx.core.error;

import org.jspecify.annotations.Nullable;

/** UCX cannot be used in this process; the message says why and what to do about it. */
public final class UcxUnavailableException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * Joins what is wrong with its remedy.
     *
     * @param problem what is wrong
     * @param remedy what to do about it
     * @param cause what the JVM said, if anything
     */
    public UcxUnavailableException(String problem, String remedy, @Nullable Throwable cause) {
        super(problem + ". " + remedy, cause);
    }

    /**
     * Says the same again, for another caller.
     *
     * @param cause what was found at first
     */
    public UcxUnavailableException(UcxUnavailableException cause) {
        super(cause.getMessage(), cause);
    }
}
