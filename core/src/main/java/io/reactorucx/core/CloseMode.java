package io.reactorucx.core;

/** How an endpoint ends ({@code ucp_ep_close_nbx}); UCX allows one close for each endpoint, so it cannot be changed later. */
public enum CloseMode {
    /** What was sent is flushed first; waits for the peer to take part. */
    FLUSH,
    /** At once; what is under way ends with {@link UcxStatus#CANCELED}. Needs {@link ErrorMode#PEER}. */
    FORCE
}
