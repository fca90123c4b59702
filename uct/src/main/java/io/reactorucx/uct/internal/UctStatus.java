package io.reactorucx.uct.internal;

import io.reactorucx.core.UcxException;

/** Turns what UCX returns into exceptions. */
public final class UctStatus {

    private UctStatus() {
    }

    public static void check(int rawStatus, String operation) {
        if (rawStatus < 0) {
            throw new UcxException(rawStatus, operation, null);
        }
    }
}
