package io.reactorucx.internal.message;

import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.UcxException;
import io.reactorucx.internal.frame.MessageFrameCodec;
import io.reactorucx.internal.message.MessageDecoder.InboundBatch;
import io.reactorucx.transport.command.DrainLoop;
import io.reactorucx.transport.connection.ConnectionCore;
import io.reactorucx.transport.frame.ProtocolViolationException;
import org.jspecify.annotations.Nullable;

/**
 * The incoming direction of a stream. The peer sends no more than this side gives credit for; a message that cannot be
 * delivered at once waits in a {@link ReceiveQueue}.
 *
 * <p>Thread: engine.
 */
public final class InboundStream extends DrainLoop {

    private final MessageStream stream;
    private final MessageMultiplexer mux;
    /** Allocated when the first message has to wait: on most streams none ever does. */
    private @Nullable ReceiveQueue queue;
    private int granted;
    private int grantedBytes;
    private @Nullable ReceiveSubscription<?> receiver;
    private boolean cancelDue;
    private boolean cancelled;
    private boolean closing;
    private boolean lost;
    private boolean ended;
    private boolean endedByPeer;
    private @Nullable RuntimeException error;

    InboundStream(MessageStream stream, MessageMultiplexer mux) {
        this.stream = stream;
        this.mux = mux;
    }

    /** The peer had got so much credit before this object was made. */
    void granted(int messages, int bytes) {
        granted = messages;
        grantedBytes = bytes;
    }

    /** The peer had ended the stream before this object was made. */
    void endedBefore() {
        endedByPeer = true;
        ended = true;
    }

    /** Adds a subscription, which fails if the stream has one already. */
    public void add(ReceiveSubscription<?> joining) {
        try (var _ = mux.flushScope()) {
            ReceiveSubscription<?> present = receiver;
            if (present != null && present.isActive()) {
                joining.terminate(new IllegalStateException("receive: the messages of this stream have a subscriber"
                        + " already"));
            } else if (joining.isActive()) {
                if (present != null) {
                    left(present);
                }
                receiver = joining;
                demanded(joining);
            }
        }
    }

    /** A subscriber has requested more. */
    void demanded(ReceiveSubscription<?> by) {
        if (by == receiver) {
            try (var _ = mux.flushScope()) {
                drain();
            }
        }
    }

    /** A subscriber has left. */
    void left(ReceiveSubscription<?> by) {
        if (by == receiver) {
            receiver = null;
            cancel();
        }
    }

    /** Drops what waits, and tells the peer that nothing more is received. */
    void cancel() {
        try (var _ = mux.flushScope()) {
            clear();
            if (!ended && !cancelled) {
                cancelled = true;
                cancelDue = true;
                stream.output().ready();
            }
            stream.closeIfEnded();
        }
    }

    /** The peer has answered a CANCEL of the default stream: all credit is void, the next subscriber starts anew. */
    void reset() {
        if (!cancelled || cancelDue || !stream.isDefault()) {
            throw new ProtocolViolationException("RESET of a stream that was not cancelled");
        }
        cancelled = false;
        granted = 0;
        grantedBytes = 0;
        creditChanged();
    }

    /** Takes {@code count} small messages of one length that stand one behind the other in the batch. */
    void arrived(InboundBatch batch, int offset, int length, int count) {
        for (int i = 0; i < count; i++) {
            arrived(batch, offset + i * length, length);
        }
    }

    private void arrived(InboundBatch batch, int offset, int length) {
        spend(length);
        lost |= closing;
        if (cancelled || ended || closing) {
            return;
        }
        ReceiveSubscription<?> to = receiver;
        if (to == null || isDraining() || hasQueued() || !to.wants()) {
            enqueue(batch, offset, length);
            return;
        }
        boolean delivered = deliver(to, batch, offset, length);
        if (delivered) {
            mux.creditMayBeDue(stream);
        } else {
            enqueue(batch, offset, length);
        }
        if (!delivered || ended) {
            // There is no memory, or the subscriber has closed the connection from within onNext and is to be ended.
            drain();
        }
    }

    private void spend(int bytes) {
        if (granted == 0 || bytes > grantedBytes) {
            throw new ProtocolViolationException("a message of " + bytes + " bytes with credit for " + granted + " of "
                    + grantedBytes + " bytes");
        }
        if (endedByPeer) {
            throw new ProtocolViolationException("a message after the end of its stream");
        }
        granted--;
        grantedBytes -= bytes;
    }

    /** Delivers a message without queueing it. Returns whether there was memory for it. */
    private boolean deliver(ReceiveSubscription<?> to, InboundBatch batch, int offset, int length) {
        beginSignal();
        try {
            to.deliver(batch, offset, length);
            return true;
        } catch (RuntimeException e) {
            if (!isRetryable(e)) {
                fail(e);
            }
            return false;
        } finally {
            endSignal();
        }
    }

    private void enqueue(InboundBatch batch, int offset, int length) {
        if (!cancelled && !ended && !closing) {
            queue().add(batch.copy(offset, length));
            mux.creditMayBeDue(stream);
        }
    }

    private ReceiveQueue queue() {
        ReceiveQueue made = queue;
        if (made == null) {
            made = new ReceiveQueue(new StreamBuffers(stream, mux, this::drain), mux.counters());
            queue = made;
        }
        return made;
    }

    boolean hasQueued() {
        return queue != null && !queue.isEmpty();
    }

    /** Takes a large message, whose data is still with the peer. */
    void arrived(UcpActiveMessage offer) {
        spend(0);
        lost |= closing;
        if (cancelled || ended || closing) {
            mux.release(offer);
        } else {
            queue().add(new RendezvousReceive(this, mux, offer));
        }
    }

    /** Delivers and fetches what can be, and gives credit for what has become free. */
    void drain() {
        try {
            if (!loop()) {
                return;
            }
        } catch (RuntimeException e) {
            if (!isRetryable(e)) {
                fail(e);
            }
            mux.retryLater(stream);
        }
        creditChanged();
    }

    @Override
    protected void round() {
        ReceiveQueue waiting = queue;
        if (waiting != null) {
            do {
                while (receiver != null && receiver.wants() && !waiting.isEmpty() && waiting.deliverFirst(receiver)) {
                    // Until a message has to wait.
                }
            } while (waiting.fetch());
        }
        ReceiveSubscription<?> to = receiver;
        if (ended && to != null && !hasQueued()) {
            receiver = null;
            to.terminate(error);
        }
        stream.closeIfEnded();
    }

    private static boolean isRetryable(RuntimeException e) {
        return e instanceof UcxException refusal && refusal.isRetryable();
    }

    /** No message can be taken any more. The peer gets CANCEL, or it would wait for credit. */
    private void fail(RuntimeException cause) {
        cancel();
        ended = true;
        error = cause;
    }

    /** The data of a large message could not be fetched. */
    void fetchFailed(RuntimeException why) {
        // An error even if the peer has completed the stream: this side did not get all of it.
        abandon(why, why);
    }

    /** The peer has ended the stream. */
    void endByPeer(@Nullable RuntimeException cause) {
        if (endedByPeer) {
            throw new ProtocolViolationException("a second end of a stream");
        }
        endedByPeer = true;
        // A CANCEL is no longer needed.
        cancelDue = false;
        end(cause);
        stream.closeIfEnded();
    }

    /**
     * This side closes, and takes no more messages. The stream ends when it is known whether the peer had completed it
     * by then.
     */
    void closing() {
        closing = true;
    }

    /** Ends the stream after what waits: completes, unless messages of the peer were lost, or fails with the cause. */
    void end(@Nullable RuntimeException cause) {
        if (!ended) {
            ended = true;
            error = cause == null && lost ? mux.closedHere() : cause;
            drain();
        }
    }

    /** Ends the stream at once. What waits is dropped, which is an error even if the stream has completed. */
    void abandon(@Nullable RuntimeException cause, RuntimeException whenDropped) {
        boolean dropped = clear();
        if (!ended || dropped) {
            ended = true;
            error = dropped && cause == null ? whenDropped : cause;
        }
        drain();
    }

    private boolean clear() {
        return queue != null && queue.clear();
    }

    /** Schedules the stream if credit is due. */
    void creditChanged() {
        if (isCreditDue()) {
            stream.output().ready();
        }
    }

    /** Returns whether the peer should get more credit: when it has used half of it, in messages or in bytes. */
    private boolean isCreditDue() {
        long more = uncreditedDemand();
        return more > 0 && more >= granted
                || granted > 0 && !cancelled && !ended && !closing && freeBytes() >= mux.limits().windowBytes() / 2;
    }

    private long uncreditedDemand() {
        ReceiveSubscription<?> to = receiver;
        return to == null || ended || cancelled || closing ? 0
                : Math.min(to.demand(), mux.limits().windowMessages()) - granted - (queue == null ? 0 : queue.size());
    }

    private int freeBytes() {
        return mux.limits().windowBytes() - grantedBytes - (queue == null ? 0 : queue.heldBytes());
    }

    private int grantMessages() {
        int more = (int) Math.max(0, uncreditedDemand());
        granted += more;
        return more;
    }

    private int grantBytes() {
        int more = Math.max(0, freeBytes());
        grantedBytes += more;
        return more;
    }

    /** Writes OPEN with the first credit and a payload. */
    void writeOpen(MessageBatch batch, byte[] payload) {
        int messages = grantMessages();
        batch.open(stream.id(), messages, messages == 0 ? 0 : grantBytes(), payload);
    }

    /** Writes CANCEL or CREDIT if it is due. */
    void writeControl(MessageBatch batch) {
        if (cancelDue) {
            cancelDue = false;
            batch.signal(MessageFrameCodec.CANCEL, stream.id());
            stream.closeIfEnded();
        } else if (isCreditDue()) {
            int messages = grantMessages();
            batch.credit(stream.id(), messages, grantBytes());
        }
    }

    /** Returns whether no message waits to be delivered. */
    boolean isDrained() {
        return !hasQueued();
    }

    /** Returns whether no frame about this direction is due, in either direction. */
    boolean hasEnded() {
        return (!cancelDue || mux.isEnded()) && (ended && isDrained() || cancelled);
    }

    ConnectionCore connection() {
        return mux.connection();
    }

    MessageStream stream() {
        return stream;
    }
}
