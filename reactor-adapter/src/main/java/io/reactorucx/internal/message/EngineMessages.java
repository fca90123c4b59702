package io.reactorucx.internal.message;

import io.reactorucx.internal.counter.ProtocolCounters;
import io.reactorucx.internal.lease.LeasePool;
import io.reactorucx.internal.message.batch.MessageBatch;
import io.reactorucx.internal.message.context.MessageCounters;
import io.reactorucx.internal.message.send.SharedSendWindow;

/**
 * What the flow-controlled messages of one engine's connections share.
 *
 * @param pool the memory of received messages, and of copies that the peer fetches
 * @param offerCounters counts the large messages of all protocols
 * @param batches those that are idle
 * @param windows over shared memory, the batches that may be in flight to one peer
 * @param offers the large messages that wait for any peer to fetch them
 */
record EngineMessages(LeasePool pool, ProtocolCounters offerCounters, MessageCounters counters,
        MessageBatch.Pool batches, SharedSendWindow.Registry windows, SharedSendWindow offers,
        DemandWatch demandWatch) {
}
