package io.reactorucx.transport.endpoint;

/**
 * An endpoint between this worker and another one.
 *
 * @param peer the number of the other worker
 * @param number the number of the endpoint among those between the two
 */
public record EndpointIndex(long peer, int number) {
}
