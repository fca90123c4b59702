package io.reactorucx.core.internal;

import io.reactorucx.core.error.UcxException;

/** Turns what a call of UCX returns into an exception. */
public final class NativeStatus {

    private NativeStatus() {
    }

    /** Throws the error of a call that has failed; returns after one that has not. */
    public static void check(int rawStatus, String operation) {
        if (rawStatus < 0) {
            throw new UcxException(rawStatus, operation, null);
        }
    }
}
