package io.reactorucx.core;

import io.reactorucx.core.error.UcxStatus;

/**
 * Called once when an endpoint has failed; only {@link UcpEndpoint#close} is possible from then on.
 *
 * <p><b>Threading:</b> the worker's thread, from {@link UcpWorker#progress()}. <b>Errors:</b> what it throws is logged.
 */
@FunctionalInterface
public interface EndpointErrorHandler {

    /**
     * The endpoint has failed. A graceful close by the peer is reported too, as {@link UcxStatus#CONNECTION_RESET}.
     *
     * @param endpoint the endpoint
     * @param rawStatus why, a status code below 0
     */
    void onError(UcpEndpoint endpoint, int rawStatus);
}
