package io.reactorucx.internal.message;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.UcxException;
import io.reactorucx.internal.connection.ConnectionCore;
import io.reactorucx.internal.frame.MessageFrameCodec;
import io.reactorucx.internal.frame.ProtocolViolationException;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * What comes in on a stream: only what was asked for, since the peer may send no more than this side gives credit for.
 * It waits here while a large message before it is fetched, or while the pool has no memory. On the engine's thread.
 */
public final class InboundStream {

    /** Large messages are fetched ahead of their turn up to so many bytes; one always is. */
    private static final long FETCH_AHEAD_BYTES = 4L << 20;
    private static final Queue<?> NOTHING = new ArrayDeque<>(1);

    private final MessageStream stream;
    private final MessageMultiplexer mux;
    /**
     * A {@code byte[]} or a {@link RendezvousReceive}. Most streams never keep one: these are made when there is
     * something to put in.
     */
    private Queue<Object> waiting = nothing();
    private Queue<RendezvousReceive> unfetched = nothing();
    private @Nullable StreamBuffers memory;
    private int waitingBytes;
    private long fetchedBytes;
    private int granted;
    private int grantedBytes;
    private @Nullable ReceiveSubscription<?> receiver;
    private boolean draining;
    private boolean missed;
    private boolean cancelDue;
    private boolean cancelled;
    private boolean ended;
    private boolean endedByPeer;
    private @Nullable RuntimeException error;

    InboundStream(MessageStream stream, MessageMultiplexer mux) {
        this.stream = stream;
        this.mux = mux;
    }

    /** One that nothing is ever put in. */
    @SuppressWarnings("unchecked")
    private static <T> Queue<T> nothing() {
        return (Queue<T>) NOTHING;
    }

    private static <T> Queue<T> with(Queue<T> queue, T added) {
        Queue<T> filled = queue == NOTHING ? new ArrayDeque<>() : queue;
        filled.add(added);
        return filled;
    }

    private StreamBuffers memory() {
        StreamBuffers made = memory;
        if (made == null) {
            made = new StreamBuffers(stream, mux, this::drain);
            memory = made;
        }
        return made;
    }

    ConnectionCore connection() {
        return mux.connection();
    }

    public void add(ReceiveSubscription<?> joining) {
        mux.enter();
        try {
            if (receiver != null && !receiver.isCancelled()) {
                joining.terminate(new IllegalStateException(
                        "receive: somebody receives the messages of this stream already"));
            } else if (!joining.isCancelled()) {
                if (receiver != null) {
                    left(receiver);
                }
                receiver = joining;
                demanded(joining);
            }
        } finally {
            mux.leave();
        }
    }

    /** Somebody who receives asks for more. */
    void demanded(ReceiveSubscription<?> by) {
        if (by == receiver) {
            mux.enter();
            try {
                drain();
            } finally {
                mux.leave();
            }
        }
    }

    /** Somebody who received does not any more. */
    void left(ReceiveSubscription<?> by) {
        if (by == receiver) {
            receiver = null;
            mux.within(this::cancel);
        }
    }

    /** The peer is told that nobody receives. */
    void cancel() {
        discard();
        if (!ended && !cancelled) {
            cancelled = true;
            cancelDue = true;
            stream.ready();
        }
        stream.maybeClosed();
    }

    /** The peer has heard that nobody received: from now on it is as if nothing had been sent. */
    void reset() {
        if (!cancelled || cancelDue || !stream.isDefault()) {
            throw new ProtocolViolationException("RESET of a stream that was not cancelled");
        }
        cancelled = false;
        granted = 0;
        grantedBytes = 0;
        creditChanged();
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

    /** Small messages of one length, one behind the other, in the batch that is taken apart. */
    void arrived(InboundBatch batch, int offset, int length, int count) {
        for (int i = 0; i < count; i++) {
            arrived(batch, offset + i * length, length);
        }
    }

    private void arrived(InboundBatch batch, int offset, int length) {
        spend(length);
        if (cancelled || ended) {
            return;
        }
        ReceiveSubscription<?> to = receiver;
        if (to == null || !waiting.isEmpty() || draining || !to.wants()) {
            keep(batch, offset, length);
            return;
        }
        boolean delivered = deliver(to, batch, offset, length);
        if (delivered) {
            mux.touched(stream);
        } else {
            keep(batch, offset, length);
        }
        if (!delivered || ended) {
            // For want of memory, or because the subscriber has ended the connection, and has not heard of it while it
            // was at work.
            drain();
        }
    }

    private void keep(InboundBatch batch, int offset, int length) {
        if (!cancelled && !ended) {
            waiting = with(waiting, batch.copy(offset, length));
            hold(length);
            mux.touched(stream);
        }
    }

    /** Answers whether there was memory for that. */
    private boolean deliver(ReceiveSubscription<?> to, InboundBatch batch, int offset, int length) {
        draining = true;
        try {
            to.deliver(batch, offset, length);
            return true;
        } catch (RuntimeException e) {
            if (!isRetryable(e)) {
                fail(e);
            }
            return false;
        } finally {
            draining = false;
        }
    }

    private static boolean isRetryable(RuntimeException e) {
        return e instanceof UcxException refusal && refusal.isRetryable();
    }

    private void hold(int bytes) {
        waitingBytes += bytes;
        mux.counters().held(bytes);
    }

    /** A large message, still with the peer. */
    void arrived(UcpActiveMessage offer) {
        spend(0);
        if (cancelled || ended) {
            mux.release(offer);
            return;
        }
        RendezvousReceive arrival = new RendezvousReceive(this, mux, offer);
        waiting = with(waiting, arrival);
        unfetched = with(unfetched, arrival);
    }

    /**
     * Delivers what can be, and lets come what may. Signals may come back here, or bring the next subscriber: that is
     * another round's.
     */
    void drain() {
        missed = true;
        if (draining) {
            return;
        }
        draining = true;
        try {
            while (missed) {
                missed = false;
                deliver();
            }
        } catch (RuntimeException e) {
            shortage(e);
        } finally {
            draining = false;
        }
        creditChanged();
    }

    private void deliver() {
        while (receiver != null && receiver.wants() && !waiting.isEmpty() && deliverNext(receiver)) {
            // Until one has to wait.
        }
        fetch();
        ReceiveSubscription<?> to = receiver;
        if (ended && waiting.isEmpty() && to != null) {
            receiver = null;
            to.terminate(error);
        }
        stream.maybeClosed();
    }

    private boolean deliverNext(ReceiveSubscription<?> to) {
        if (waiting.peek() instanceof RendezvousReceive large) {
            UcxBuffer lease = large.lease();
            if (lease == null) {
                return false;
            }
            waiting.remove();
            fetchedBytes -= lease.length();
            mux.counters().held(-lease.length());
            to.deliver(lease);
            return true;
        }
        byte[] message = (byte[]) waiting.element();
        if (!to.deliver(message, memory())) {
            return false;
        }
        // Whoever leaves within the signal has dropped them all.
        if (waiting.peek() == message) {
            waiting.remove();
            hold(-message.length);
        }
        return true;
    }

    private void fetch() {
        for (RendezvousReceive next = unfetched.peek(); next != null; next = unfetched.peek()) {
            if (fetchedBytes > 0 && fetchedBytes + next.length() > FETCH_AHEAD_BYTES || !next.fetch(memory())) {
                return;
            }
            unfetched.remove();
            fetchedBytes += next.length();
            mux.counters().held(next.length());
        }
    }

    /** There is no memory, or no slot, for the next message: later, if that may help. */
    private void shortage(RuntimeException e) {
        if (!isRetryable(e)) {
            fail(e);
        }
        mux.retryLater(stream);
    }

    /** No message can be taken any more, which the peer hears as well: it would wait for credit. */
    private void fail(RuntimeException cause) {
        cancel();
        ended = true;
        error = cause;
    }

    /** The fetch of a large message has ended badly. */
    void fetchFailed(RuntimeException why) {
        // Also when the peer has said that this was all: it is not, here.
        abandon(why, why);
    }

    /** Nothing more comes: after what waits the receiver hears so. */
    void end(@Nullable RuntimeException cause) {
        if (!ended) {
            ended = true;
            error = cause;
            drain();
        }
    }

    /** The peer sends nothing more. */
    void endByPeer(@Nullable RuntimeException cause) {
        if (endedByPeer) {
            throw new ProtocolViolationException("a second end of a stream");
        }
        endedByPeer = true;
        // It needs not hear any more that nobody receives.
        cancelDue = false;
        end(cause);
        stream.maybeClosed();
    }

    /** Nothing more comes, and what waits cannot be had any more, which is an error where there was something. */
    void abandon(@Nullable RuntimeException cause, RuntimeException whenDropped) {
        boolean dropped = discard();
        if (!ended || dropped) {
            ended = true;
            error = dropped && cause == null ? whenDropped : cause;
        }
        drain();
    }

    private boolean discard() {
        boolean any = !waiting.isEmpty();
        if (memory != null) {
            memory.cancel();
        }
        unfetched.clear();
        for (Object message = waiting.poll(); message != null; message = waiting.poll()) {
            if (message instanceof RendezvousReceive large) {
                large.discard();
            }
        }
        mux.counters().held(-waitingBytes - fetchedBytes);
        waitingBytes = 0;
        fetchedBytes = 0;
        return any;
    }

    private long wanted() {
        ReceiveSubscription<?> to = receiver;
        return to == null || ended || cancelled ? 0 : Math.min(to.demand(),
                mux.limits().windowMessages()) - granted - waiting.size();
    }

    private int freeBytes() {
        return mux.limits().windowBytes() - grantedBytes - waitingBytes;
    }

    /** Whether the peer should hear of more credit: when it has used half, of messages or of bytes. */
    private boolean isCreditDue() {
        long more = wanted();
        return more > 0 && more >= granted
                || granted > 0 && !cancelled && !ended && freeBytes() >= mux.limits().windowBytes() / 2;
    }

    void creditChanged() {
        if (isCreditDue()) {
            stream.ready();
        }
    }

    /** Takes credit that the peer is told of now. */
    int takeCredit() {
        int more = (int) Math.max(0, wanted());
        granted += more;
        return more;
    }

    int takeCreditBytes() {
        int more = Math.max(0, freeBytes());
        grantedBytes += more;
        return more;
    }

    void write(MessageBatch batch) {
        if (cancelDue) {
            cancelDue = false;
            batch.signal(MessageFrameCodec.CANCEL, stream.id());
            stream.maybeClosed();
        } else if (isCreditDue()) {
            int messages = takeCredit();
            batch.credit(stream.id(), messages, takeCreditBytes());
        }
    }

    boolean isDrained() {
        return waiting.isEmpty();
    }

    /** Whether nothing has to be said or heard about it. */
    boolean hasEnded() {
        return (!cancelDue || mux.isEnded()) && (ended && waiting.isEmpty() || cancelled);
    }
}
