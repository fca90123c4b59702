package io.reactorucx.internal.message;

import io.reactorucx.message.MessageStatistics;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts the flow-controlled messages of one engine's connections. Thread: engine; {@link #snapshot()} any. Writes have
 * no fence, so a snapshot may miss the latest ones.
 */
public final class MessageCounters {

    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong received = new AtomicLong();
    private final AtomicLong batches = new AtomicLong();
    private final AtomicLong openStreams = new AtomicLong();
    private final AtomicLong waitingRequests = new AtomicLong();
    private final AtomicLong sendCredit = new AtomicLong();
    private final AtomicLong bufferedBytes = new AtomicLong();
    private final AtomicLong violations = new AtomicLong();
    private final AtomicLong droppedRequests = new AtomicLong();

    private static void add(AtomicLong counter, long more) {
        counter.setOpaque(counter.getPlain() + more);
    }

    /** Messages were sent, each for one credit. */
    void spent(int messages) {
        add(sent, messages);
        add(sendCredit, -messages);
    }

    void received(int messages) {
        add(received, messages);
    }

    void batch() {
        add(batches, 1);
    }

    void streams(int more) {
        add(openStreams, more);
    }

    void waitingRequests(int more) {
        add(waitingRequests, more);
    }

    void credit(long more) {
        add(sendCredit, more);
    }

    void held(long moreBytes) {
        add(bufferedBytes, moreBytes);
    }

    void violation() {
        add(violations, 1);
    }

    public void droppedRequest() {
        add(droppedRequests, 1);
    }

    public MessageStatistics snapshot() {
        return new MessageStatistics(sent.getOpaque(), received.getOpaque(), batches.getOpaque(),
                openStreams.getOpaque(), waitingRequests.getOpaque(), sendCredit.getOpaque(),
                bufferedBytes.getOpaque(), violations.getOpaque(), droppedRequests.getOpaque());
    }
}
