package io.reactorucx.transport.endpoint;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;

/** UCX of this side has no transport that leads to the peer's worker. Thread: any. */
public final class NoTransportException extends UcxException {

    private static final long serialVersionUID = 1L;

    private final String transports;

    NoTransportException(String peer, String transports, UcxException cause) {
        super(UcxStatus.UNREACHABLE, "connect", peer, "no transport in common: this side has " + transports, cause);
        this.transports = transports;
    }

    /** Returns the explanation for the peer. */
    public String explanationForPeer() {
        return "no transport in common: the other side has " + transports;
    }
}
