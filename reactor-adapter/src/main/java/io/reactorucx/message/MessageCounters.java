package io.reactorucx.message;

import java.util.concurrent.atomic.AtomicLong;

/**
 * What became of the flow-controlled messages of one engine's connections, since it started.
 *
 * <p><b>Threading:</b> any thread may read; the engine's thread writes, without a fence, so that a reader may be a
 * moment behind.
 */
public final class MessageCounters {

    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong received = new AtomicLong();
    private final AtomicLong batches = new AtomicLong();
    private final AtomicLong streams = new AtomicLong();
    private final AtomicLong credit = new AtomicLong();
    private final AtomicLong heldBytes = new AtomicLong();
    private final AtomicLong violations = new AtomicLong();
    private final AtomicLong droppedRequests = new AtomicLong();

    public MessageCounters() {
    }

    private static void add(AtomicLong counter, long more) {
        counter.setOpaque(counter.getPlain() + more);
    }

    /** Messages have gone, each for a credit. */
    public void spent(int messages) {
        add(sent, messages);
        add(credit, -messages);
    }

    public void received(int messages) {
        add(received, messages);
    }

    public void batch() {
        add(batches, 1);
    }

    public void streams(int more) {
        add(streams, more);
    }

    public void credit(long more) {
        add(credit, more);
    }

    public void held(long moreBytes) {
        add(heldBytes, moreBytes);
    }

    public void violation() {
        add(violations, 1);
    }

    public void droppedRequest() {
        add(droppedRequests, 1);
    }

    /** {@return requests without an answer that came while as many as streams are allowed were under way} */
    public long droppedRequests() {
        return droppedRequests.getOpaque();
    }

    /** {@return messages that have gone, large ones when they were offered} */
    public long sent() {
        return sent.getOpaque();
    }

    /** {@return messages that have come} */
    public long received() {
        return received.getOpaque();
    }

    /** {@return active messages that carried the small ones and what is said about them} */
    public long batches() {
        return batches.getOpaque();
    }

    /** {@return streams that are open now, the default ones of the connections aside} */
    public long streams() {
        return streams.getOpaque();
    }

    /** {@return messages that peers take now} */
    public long credit() {
        return credit.getOpaque();
    }

    /** {@return bytes of messages that have come and were not delivered yet} */
    public long heldBytes() {
        return heldBytes.getOpaque();
    }

    /** {@return connections that were closed because the peer did not keep to the protocol} */
    public long violations() {
        return violations.getOpaque();
    }
}
