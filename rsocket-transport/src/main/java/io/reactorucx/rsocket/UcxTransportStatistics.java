package io.reactorucx.rsocket;

/**
 * The connections of a transport.
 *
 * @param connections open connections
 * @param queuedBytes bytes of frames that RSocket has sent on these, and that wait for credit of the peer or for memory
 * @param overflows connections that have ended because the frames that waited reached {@code maxQueuedBytes}
 */
public record UcxTransportStatistics(int connections, long queuedBytes, long overflows) {
}
