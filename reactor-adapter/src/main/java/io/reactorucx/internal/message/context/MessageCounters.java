package io.reactorucx.internal.message.context;

import io.reactorucx.internal.counter.ProtocolCounters;
import io.reactorucx.internal.counter.RequestCounters;
import io.reactorucx.internal.counter.TrafficCounter;
import io.reactorucx.message.MessageStatistics;
import io.reactorucx.message.TrafficStatistics;
import io.reactorucx.transport.counter.EngineCounter;
import io.reactorucx.transport.counter.WaitCounter;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts the flow-controlled messages of one engine's connections. Thread: engine; {@link #snapshot} any. Writes have
 * no fence, so a snapshot may miss the latest ones.
 */
public final class MessageCounters {

    private final TrafficCounter messages = new TrafficCounter();
    private final TrafficCounter requestMessages = new TrafficCounter();
    private final RequestCounters requests = new RequestCounters();
    private final WaitCounter creditWait = new WaitCounter();
    private final AtomicLong batches = new AtomicLong();
    private final AtomicLong openStreams = new AtomicLong();
    private final AtomicLong waitingRequests = new AtomicLong();
    private final AtomicLong sendCredit = new AtomicLong();
    private final AtomicLong bufferedBytes = new AtomicLong();
    private final AtomicLong violations = new AtomicLong();
    private final AtomicLong droppedRequests = new AtomicLong();

    /** Returns the traffic of {@code inbound()} and {@code outbound()}, which have the default stream. */
    public TrafficCounter messages() {
        return messages;
    }

    /** Returns the traffic of requests, which have a stream each. */
    public TrafficCounter requestMessages() {
        return requestMessages;
    }

    /** Returns the traffic of a stream by its id. */
    public TrafficCounter of(int stream) {
        return stream == 0 ? messages : requestMessages;
    }

    /** Returns the counters of requests. */
    public RequestCounters requests() {
        return requests;
    }

    /** Returns the waits of senders for credit. */
    public WaitCounter creditWait() {
        return creditWait;
    }

    /** Batches were sent, and messages, each for one credit: those of the default stream, and those of others. */
    public void sent(int newBatches, int plain, long plainBytes, int ofRequests, long requestBytes) {
        if (plain > 0) {
            messages.sent(plain, plainBytes);
        }
        if (ofRequests > 0) {
            requestMessages.sent(ofRequests, requestBytes);
        }
        EngineCounter.add(batches, newBatches);
        EngineCounter.add(sendCredit, -(plain + ofRequests));
    }

    public void streams(int more) {
        EngineCounter.add(openStreams, more);
    }

    public void waitingRequests(int more) {
        EngineCounter.add(waitingRequests, more);
    }

    public void credit(long more) {
        EngineCounter.add(sendCredit, more);
    }

    public void held(long moreBytes) {
        EngineCounter.add(bufferedBytes, moreBytes);
    }

    public void violation() {
        EngineCounter.add(violations, 1);
    }

    public void droppedRequest() {
        EngineCounter.add(droppedRequests, 1);
    }

    public MessageStatistics snapshot(ProtocolCounters offers, long otherDroppedOffers) {
        TrafficStatistics plain = messages.snapshot();
        TrafficStatistics ofRequests = requestMessages.snapshot();
        return new MessageStatistics(plain.sentMessages() + ofRequests.sentMessages(),
                plain.receivedMessages() + ofRequests.receivedMessages(), batches.getOpaque(),
                openStreams.getOpaque(), waitingRequests.getOpaque(), sendCredit.getOpaque(),
                creditWait.waiting(), creditWait.waits(), creditWait.nanos(), bufferedBytes.getOpaque(),
                offers.fetchedOffers(), offers.droppedOffers() + otherDroppedOffers, violations.getOpaque(),
                droppedRequests.getOpaque());
    }
}
