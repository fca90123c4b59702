package io.reactorucx.internal.message.receive;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.internal.codec.InboundBatch;
import io.reactorucx.internal.frame.MessageFrameCodec;
import io.reactorucx.internal.message.batch.MessageBatch;
import io.reactorucx.internal.message.context.DuplexStream;
import io.reactorucx.internal.message.context.LargeOffer;
import io.reactorucx.internal.message.context.StreamBuffers;
import io.reactorucx.internal.message.context.StreamContext;
import io.reactorucx.transport.command.DrainLoop;
import io.reactorucx.transport.frame.ProtocolViolationException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The incoming direction of a stream. The peer sends no more than this side gives credit for; a message that cannot be
 * delivered at once waits in a {@link ReceiveQueue}.
 *
 * <p>Thread: engine.
 */
public final class InboundStream extends DrainLoop implements Runnable {

    private final DuplexStream stream;
    private final StreamContext context;
    private final ReceiveCredit credit;
    /** Allocated when the first message has to wait: on most streams none ever does. */
    private @Nullable ReceiveQueue queue;
    private @Nullable ReceiveSubscription<?> receiver;
    private InboundState state = InboundState.OPEN;
    /** This side closes the connection: the default stream takes no more, and ends when the peer has told its end. */
    private boolean closing;
    private boolean endedByPeer;
    /** Messages of the peer have come since this side closes, which nobody gets. */
    private @Nullable RuntimeException lost;
    private @Nullable RuntimeException error;

    public InboundStream(DuplexStream stream, StreamContext context) {
        this.stream = stream;
        this.context = context;
        this.credit = new ReceiveCredit(context.limits());
    }

    /** The peer had got so much credit before this object was made. */
    public void granted(int messages, int bytes) {
        credit.granted(messages, bytes);
    }

    /** The peer had ended the stream before this object was made. */
    public void endedBefore() {
        endedByPeer = true;
        state = InboundState.ENDED;
    }

    /** Adds a subscription, which fails if the stream has one already. */
    public void add(ReceiveSubscription<?> joining) {
        try (var _ = context.flushScope()) {
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
            try (var _ = context.flushScope()) {
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
    public void cancel() {
        try (var _ = context.flushScope()) {
            clear();
            InboundState before = state;
            state = before.cancel();
            if (state != before) {
                stream.controlDue();
            }
            stream.closeIfEnded();
        }
    }

    /** The peer has answered a CANCEL of the default stream: all credit is void, the next subscriber starts anew. */
    public void reset() {
        state = state.reset();
        credit.reset();
        creditChanged();
    }

    /**
     * Takes {@code count} small messages of one length that stand one behind the other in the batch. Credit is given
     * once, after the batch, by {@link #creditChanged}.
     */
    public void arrived(InboundBatch batch, int offset, int length, int count) {
        for (int i = 0; i < count; i++) {
            arrived(batch, offset + i * length, length);
        }
    }

    private void arrived(InboundBatch batch, int offset, int length) {
        spend(length);
        if (!isTaking()) {
            return;
        }
        ReceiveSubscription<?> to = receiver;
        if (to == null || isDraining() || hasQueued() || !to.wants()) {
            enqueue(batch, offset, length);
            return;
        }
        boolean delivered = deliver(to, batch, offset, length);
        if (!delivered) {
            enqueue(batch, offset, length);
        }
        if (!delivered || state != InboundState.OPEN) {
            // There is no memory, or the subscriber has closed the connection from within onNext and is to be ended.
            drain();
        }
    }

    private void spend(int bytes) {
        credit.spend(bytes);
        if (endedByPeer) {
            throw new ProtocolViolationException("a message after the end of its stream");
        }
        if (closing && lost == null) {
            lost = context.closedHere();
        }
    }

    private boolean isTaking() {
        return state == InboundState.OPEN && !closing;
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
        if (isTaking()) {
            queue().add(batch.copy(offset, length));
        }
    }

    private ReceiveQueue queue() {
        ReceiveQueue made = queue;
        if (made == null) {
            made = new ReceiveQueue(new StreamBuffers(stream, context, this), context.counters());
            queue = made;
        }
        return made;
    }

    boolean hasQueued() {
        return queue != null && !queue.isEmpty();
    }

    /** Takes a large message, whose data is still with the peer. */
    public void arrived(LargeOffer offer) {
        spend(0);
        if (isTaking()) {
            queue().add(new RendezvousReceive(this, context, offer));
        } else {
            context.release(offer);
        }
    }

    /** Delivers and fetches what can be, and gives credit for what has become free. */
    public void drain() {
        try {
            if (!loop()) {
                return;
            }
        } catch (RuntimeException e) {
            if (!isRetryable(e)) {
                fail(e);
            }
            context.retry().add(this);
        }
        creditChanged();
    }

    /** Drains again: memory or a slot of the engine has become free. */
    @Override
    public void run() {
        drain();
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
        if (state.isEnded() && to != null && !hasQueued()) {
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
        state = state.end();
        error = cause;
    }

    /** The data of a large message could not be fetched. */
    void fetchFailed(RuntimeException why) {
        // An error even if the peer has completed the stream: this side did not get all of it.
        abandon(why, why);
    }

    /** The peer has ended the stream. */
    public void endByPeer(@Nullable RuntimeException cause) {
        if (endedByPeer) {
            throw new ProtocolViolationException("a second end of a stream");
        }
        endedByPeer = true;
        state = state.cancelWritten();
        end(cause);
        stream.closeIfEnded();
    }

    /**
     * This side closes, and takes no more messages. The stream ends when it is known whether the peer had completed it
     * by then.
     */
    public void closing() {
        closing = true;
    }

    /** Ends the stream after what waits: completes, unless messages of the peer were lost, or fails with the cause. */
    public void end(@Nullable RuntimeException cause) {
        if (!state.isEnded()) {
            state = state.end();
            error = cause == null ? lost : cause;
            drain();
        }
    }

    /**
     * The connection has ended, and with it the stream at once. What waits is dropped, which is an error even if the
     * stream has completed.
     */
    public void connectionEnded(@Nullable RuntimeException cause, RuntimeException whenDropped) {
        state = state.cancelWritten();
        abandon(cause, whenDropped);
    }

    private void abandon(@Nullable RuntimeException cause, RuntimeException whenDropped) {
        boolean dropped = clear();
        if (!state.isEnded() || dropped) {
            state = state.end();
            error = dropped && cause == null ? whenDropped : cause;
        }
        drain();
    }

    private boolean clear() {
        return queue != null && queue.clear();
    }

    /** Schedules the stream if credit is due. */
    public void creditChanged() {
        if (isCreditDue()) {
            stream.controlDue();
        }
    }

    private boolean isCreditDue() {
        return isTaking() && credit.isDue(demand(), heldBytes());
    }

    /** Returns how many messages more than those that wait the subscriber has requested, within the window. */
    private long demand() {
        ReceiveSubscription<?> to = receiver;
        return to == null || !isTaking() ? 0
                : Math.min(to.demand(), context.limits().windowMessages()) - (queue == null ? 0 : queue.size());
    }

    private int heldBytes() {
        return queue == null ? 0 : queue.heldBytes();
    }

    /** Writes OPEN with the first credit and a payload. */
    public void writeOpen(MessageBatch batch, byte[] payload) {
        int messages = credit.grantMessages(demand());
        batch.open(stream.id(), messages, messages == 0 ? 0 : credit.grantBytes(heldBytes()), payload,
                MemorySegment.NULL);
    }

    /** Writes CANCEL or CREDIT if it is due. */
    public void writeControl(MessageBatch batch) {
        if (state.isCancelDue()) {
            state = state.cancelWritten();
            batch.signal(MessageFrameCodec.CANCEL, stream.id());
            stream.closeIfEnded();
        } else if (isCreditDue()) {
            int messages = credit.grantMessages(demand());
            batch.credit(stream.id(), messages, credit.grantBytes(heldBytes()));
        }
    }

    /** Returns whether no message waits to be delivered. */
    public boolean isDrained() {
        return !hasQueued();
    }

    /** Returns whether no frame about this direction is due, in either direction. */
    public boolean hasEnded() {
        return state == InboundState.CANCELLED || state == InboundState.ENDED && isDrained();
    }

    StreamContext context() {
        return context;
    }

    /** Returns what the peer sends on this stream, for the report of a leak. */
    String received() {
        int id = stream.id();
        return id == 0 ? "a message of inbound() from" : (id & 1) == 1 ? "a response from" : "a request from";
    }

    int streamId() {
        return stream.id();
    }
}
