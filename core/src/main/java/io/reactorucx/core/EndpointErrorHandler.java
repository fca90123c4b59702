package io.reactorucx.core;

/**
 * Told once that an endpoint has failed; all that is left to do with it is {@link UcpEndpoint#close}.
 *
 * <p><b>Threading:</b> the worker's thread, from {@link UcpWorker#progress()}. <b>Errors:</b> what it throws is logged.
 */
@FunctionalInterface
public interface EndpointErrorHandler {

    /**
     * The endpoint has failed. A peer that closes in good order is reported in this way too, as {@link UcxStatus#CONNECTION_RESET}.
     *
     * @param endpoint the endpoint
     * @param rawStatus why, a status code below 0
     */
    void onError(UcpEndpoint endpoint, int rawStatus);
}
