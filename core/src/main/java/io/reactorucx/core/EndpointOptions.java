package io.reactorucx.core;

import java.util.Objects;

/**
 * What an endpoint is made with.
 *
 * @param errorMode how failures of the peer are treated, the same on both sides
 * @param peer what to call the peer in errors and logs
 * @param onError told when the endpoint has failed
 */
public record EndpointOptions(ErrorMode errorMode, String peer, EndpointErrorHandler onError) {

    /** Checks the parts. */
    public EndpointOptions {
        Objects.requireNonNull(errorMode, "errorMode");
        Objects.requireNonNull(peer, "peer");
        Objects.requireNonNull(onError, "onError");
    }
}
