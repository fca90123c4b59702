package io.reactorucx.examples.netty;

/**
 * The measurements over one transport in one turn.
 *
 * @param channel the type of the channels
 * @param sample the calls
 * @param cpuNanos processor time of both processes meanwhile
 * @param sentBytes bytes that the client's loop has given to UCX, warm-up included
 * @param receivedBytes bytes that have come for the client's loop over UCX
 */
record Turn(String channel, Sample sample, long cpuNanos, long sentBytes, long receivedBytes) {
}
