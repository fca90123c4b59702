package io.reactorucx.message;

/**
 * Messages and bytes that one part of the API has sent and received over the connections of one engine, since the
 * engine started.
 *
 * @param sentMessages messages sent, large ones counted when they were offered
 * @param sentBytes payload bytes of the messages sent
 * @param receivedMessages messages that have arrived for a receiver
 * @param receivedBytes payload bytes of the messages received, of large ones counted when they were fetched
 */
public record TrafficStatistics(long sentMessages, long sentBytes, long receivedMessages, long receivedBytes) {

    /** A part of the API. */
    public enum Api {
        /** {@code inbound()} and {@code outbound()}. */
        MESSAGES,
        /** Requests, responses and the messages of both. */
        REQUESTS,
        /** Active messages; a sent one counts when UCX has completed it. */
        ACTIVE_MESSAGES,
        /** Tagged messages, each counted when UCX has completed it. */
        TAGS,
        /** The byte stream: calls, each counted when UCX has completed it. */
        STREAMS
    }
}
