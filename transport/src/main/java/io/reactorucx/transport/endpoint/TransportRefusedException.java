package io.reactorucx.transport.endpoint;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;

/** The data of a connection would go over a transport that a side does not allow. Thread: any. */
public final class TransportRefusedException extends UcxException {

    private static final long serialVersionUID = 1L;

    private final String explanation;

    /**
     * Creates one.
     *
     * @param explanation reads the same on both sides
     */
    public TransportRefusedException(String peer, String explanation) {
        super(UcxStatus.UNSUPPORTED, "connect", peer, explanation);
        this.explanation = explanation;
    }

    /** Returns the explanation for the peer. */
    public String explanation() {
        return explanation;
    }
}
