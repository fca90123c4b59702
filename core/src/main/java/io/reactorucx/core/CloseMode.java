package io.reactorucx.core;

import io.reactorucx.core.error.UcxStatus;

/**
 * How an endpoint ends ({@code ucp_ep_close_nbx}); UCX allows one close for each endpoint, so it cannot be changed
 * later.
 */
public enum CloseMode {
    /** Flushes what was sent first, for which the peer has to take part. */
    FLUSH,
    /**
     * Closes without a word to the peer, as soon as the endpoint is wired up and has sent what UCX has taken, or has
     * failed; operations in flight end with {@link UcxStatus#CANCELED} then. Needs {@link ErrorMode#PEER}.
     */
    FORCE
}
