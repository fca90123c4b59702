package io.reactorucx.message;

/**
 * The flow-controlled messages of one engine's connections: counts since the engine started, and amounts now.
 *
 * @param sent messages sent, requests included, large ones counted when they were offered
 * @param received messages received, requests included
 * @param batches active messages sent that carried small messages and control frames
 * @param openStreams streams that are open now, without the default stream of each connection
 * @param waitingRequests requests that wait until their peer takes another one
 * @param sendCredit messages that the peers accept now
 * @param creditWaiters streams that have a sender and no credit of the peer now
 * @param creditWaits waits for credit that have ended
 * @param creditWaitNanos time of those together
 * @param bufferedBytes bytes of messages that were received and are not delivered yet
 * @param fetchedOffers large messages of peers that were fetched, without those of active messages
 * @param droppedOffers large messages of peers that were released without a fetch, with those of active messages
 * @param violations connections that were closed because the peer violated the protocol
 * @param droppedRequests requests without a response that arrived while as many streams as allowed were open
 */
public record MessageStatistics(long sent, long received, long batches, long openStreams, long waitingRequests,
        long sendCredit, long creditWaiters, long creditWaits, long creditWaitNanos, long bufferedBytes,
        long fetchedOffers, long droppedOffers, long violations, long droppedRequests) {
}
