package io.reactorucx.examples.dashboard;

import io.reactorucx.connection.ConnectionState;
import java.util.Map;

/**
 * The sample that the page gets twice a second.
 *
 * @param start when the service began to sample, in ms since the epoch
 * @param time when this sample was taken
 * @param peer the peer's name
 * @param state of the connection to the peer
 * @param since when it became so
 * @param figures totals and levels
 */
record Sample(long start, long time, String peer, ConnectionState state, long since, Map<Figure, Double> figures) {
}
