package io.reactorucx.core.uct;

import io.reactorucx.core.UcxException;

/** Turns what UCX returns into exceptions. */
final class UctStatus {

    private UctStatus() {
    }

    static void check(int rawStatus, String operation) {
        if (rawStatus < 0) {
            throw new UcxException(rawStatus, operation, null);
        }
    }
}
