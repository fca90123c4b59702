package io.reactorucx.core;

import io.reactorucx.core.error.UcxUnsupportedException;

/**
 * Whether a capability is supported, and if not, the reason.
 *
 * @param isSupported whether it can be done
 * @param reason what is in the way, empty when nothing is
 */
public record UcpSupport(boolean isSupported, String reason) {

    static final UcpSupport SUPPORTED = new UcpSupport(true, "");

    static UcpSupport missing(String reason) {
        return new UcpSupport(false, reason);
    }

    /**
     * Throws the reason.
     *
     * @param operation what was tried
     * @throws UcxUnsupportedException when it cannot be done
     */
    public void require(String operation) {
        if (!isSupported) {
            throw new UcxUnsupportedException(operation, reason);
        }
    }
}
