package io.reactorucx.transport.socket;

import java.io.IOException;

/** One side of a control socket speaks TLS, and the other does not. */
final class PlainPeerException extends IOException {

    private static final long serialVersionUID = 1L;

    PlainPeerException(String message) {
        super(message);
    }
}
