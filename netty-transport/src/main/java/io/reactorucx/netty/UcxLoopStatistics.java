package io.reactorucx.netty;

import io.reactorucx.transport.EncryptionStatistics;
import io.reactorucx.transport.RingStatistics;

/**
 * Counts and amounts of one loop since its start. {@link UcxNettyMetrics} has more.
 *
 * <p><b>Threading:</b> immutable. <b>Ownership:</b> none. <b>Errors:</b> none.
 *
 * @param loop the loop's name
 * @param channels channels over UCX that exist, those included that still send after their close
 * @param brokenChannels channels that have ended without order
 * @param refusedChannels channels that {@code maxChannels} had no room for
 * @param links links that are open, in either direction
 * @param refusedLinks links that {@code maxLinks} had no room for
 * @param violations how often a peer has broken the protocol
 * @param failedHandshakes sockets of channels whose handshake has failed
 * @param sentBytes bytes of channels that were given to UCX
 * @param receivedBytes bytes that have come for channels over UCX
 * @param plainChannels channels that exist over plain TCP, those of servers included whose peer has not yet decided it
 * @param refusesClients whether the loop could not use UCX for the last client of a server, which came within the last
 *     minute; a log line says why
 * @param rings rings to loops and engines of the same host, which carry the small frames of links; zeros without rings
 * @param encryption what is encrypted of links that have TLS; zeros without it
 */
public record UcxLoopStatistics(String loop, int channels, long brokenChannels, long refusedChannels, int links,
        long refusedLinks, long violations, long failedHandshakes, long sentBytes, long receivedBytes,
        int plainChannels, boolean refusesClients, RingStatistics rings, EncryptionStatistics encryption) {
}
