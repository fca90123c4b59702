package io.reactorucx.internal.message;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.internal.connection.ConnectionCore;
import io.reactorucx.internal.frame.MessageFrameCodec;
import io.reactorucx.internal.frame.ProtocolViolationException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What this side sends on a stream: as many messages and bytes as the peer has given credit for, those of several
 * senders in turn. On the engine's thread.
 */
final class OutboundStream {

    /** Large messages that wait for the peer to fetch them. */
    private static final int MOST_OFFERS = 32;
    private static final List<SendSubscriber<?>> NOBODY = Collections.emptyList();
    /** Bytes of a stream's turn. */
    private static final int TURN_BYTES = 2 << 10;

    private final MessageStream stream;
    private final MessageMultiplexer mux;
    private final int mostInline;
    private @Nullable StreamBuffers memory;
    /** The list is made with the first of them. */
    private List<SendSubscriber<?>> senders = NOBODY;
    private int turn;
    private long credit;
    private long creditBytes;
    private int offers;
    private boolean resetDue;
    private @Nullable StreamTermination last;
    private boolean ended;
    private @Nullable RuntimeException reason;
    private @Nullable SendSubscriber<?> large;

    OutboundStream(MessageStream stream, MessageMultiplexer mux) {
        this.stream = stream;
        this.mux = mux;
        this.mostInline = mux.limits().rendezvousBytes();
    }

    ConnectionCore connection() {
        return mux.connection();
    }

    /** Any thread. */
    void checkLength(long length) {
        long most = mux.peerMaxMessageBytes();
        if (length > most) {
            throw new IllegalArgumentException("message of " + length + " bytes: the peer takes at most " + most);
        }
    }

    void add(SendSubscriber<?> sender) {
        RuntimeException refusal = reason;
        if (refusal != null || ended || last != null) {
            sender.fail(refusal != null ? refusal : mux.closed("send", "this side has completed the stream"));
            return;
        }
        if (sender.hasEnded()) {
            // Cancelled before it got here: nobody would take it out again.
            return;
        }
        mux.enter();
        try {
            if (senders == NOBODY) {
                senders = new ArrayList<>(1);
            }
            senders.add(sender);
            sender.replenish(allowed());
            if (sender.isActive()) {
                stream.ready();
            }
        } finally {
            mux.leave();
        }
    }

    void remove(SendSubscriber<?> sender) {
        cancelMemory();
        if (senders.remove(sender)) {
            // The others too: one of them may have been the one who waited for memory. Without any, the connection's
            // last word may be due.
            mux.within(last != null || !senders.isEmpty() ? stream::ready : () -> { });
        }
    }

    /** Sends a small message that nothing is in the way of, on the engine's thread; answers whether it was so. */
    boolean sendAtOnce(SendSubscriber<?> sender, byte[] message) {
        int length = message.length;
        if (length > creditBytes || length > mostInline || credit == 0 || ended || senders.size() != 1) {
            return false;
        }
        mux.enter();
        try {
            MessageBatch batch = mux.outbox().atOnce(length + MessageFrameCodec.DATA_FRAME_BYTES);
            if (batch == null) {
                return false;
            }
            batch.data(stream.id(), message);
            spend(length);
            sender.sentAtOnce();
            return true;
        } finally {
            mux.leave();
        }
    }

    /** A sender has something, or has come to its end. */
    void arrived(SendSubscriber<?> sender) {
        mux.enter();
        try {
            if (sender.peek() == null) {
                sender.settleLater();
            }
            stream.ready();
        } finally {
            mux.leave();
        }
    }

    void unsettled(SendSubscriber<?> sender) {
        mux.outbox().unsettled(sender);
    }

    /** How many messages of one source may be under way: never more than the peer takes, nor than this side keeps. */
    long allowed() {
        return Math.min(credit, mux.limits().windowMessages());
    }

    /** The peer takes more. */
    void grant(int messages, int bytes) {
        if (credit + messages > MessageFrameCodec.MAX_CREDIT || creditBytes + bytes > MessageFrameCodec.MAX_CREDIT) {
            throw new ProtocolViolationException("credit for " + (credit + messages) + " messages and "
                    + (creditBytes + bytes) + " bytes");
        }
        if (ended) {
            return;
        }
        credit += messages;
        creditBytes += bytes;
        mux.counters().credit(messages);
        for (SendSubscriber<?> sender : senders) {
            sender.settleLater();
            if (sender.isActive()) {
                stream.ready();
            }
        }
    }

    /**
     * The peer takes nothing more. The default stream goes on with whoever receives next. That is no failure of one
     * whose messages are all with the peer: it may have left with the last of them, and its word of that comes before
     * UCX's that a large one was fetched.
     */
    void cancelledByPeer() {
        RuntimeException cancelled = mux.closed("send", "cancelled by peer");
        List<SendSubscriber<?>> interrupted = senders.stream().filter(sender -> !sender.hasSentAll()).toList();
        if (stream.isDefault()) {
            resetDue = true;
            voidCredit();
            fail(interrupted, cancelled);
            stream.ready();
        } else {
            end(interrupted, cancelled);
        }
    }

    private void voidCredit() {
        mux.counters().credit(-credit);
        credit = 0;
        creditBytes = 0;
    }

    private void fail(List<SendSubscriber<?>> some, RuntimeException error) {
        large = null;
        cancelMemory();
        senders.removeAll(some);
        some.forEach(sender -> sender.fail(error));
    }

    /** Nothing more can be sent; whoever tries, or waits for the peer to fetch, hears why. */
    void end(RuntimeException error) {
        end(List.copyOf(senders), error);
    }

    private void end(List<SendSubscriber<?>> failing, RuntimeException error) {
        boolean first = !ended;
        if (first) {
            ended = true;
            voidCredit();
            reason = error;
        }
        fail(failing, error);
        if (first) {
            stream.maybeClosed();
        }
    }

    /** After the messages of those that send now, the end. */
    void endWith(StreamTermination how) {
        if (last == null && !ended) {
            last = how;
            stream.ready();
        }
    }

    /** What was taken goes, nothing more is taken. */
    void closing(RuntimeException error) {
        reason = error;
        List.copyOf(senders).forEach(sender -> sender.takeNoMore(error));
    }

    /** Whether all that was taken has gone, and large messages are with the peer. */
    boolean isDrained() {
        return senders.isEmpty() && offers == 0;
    }

    /** The sender whose turn it is, if one has something that may go. */
    private @Nullable SendSubscriber<?> next() {
        for (int i = senders.size(); i > 0; i--) {
            turn = turn + 1 < senders.size() ? turn + 1 : 0;
            SendSubscriber<?> sender = senders.get(turn);
            if (sender.peek() != null) {
                return sender;
            }
        }
        return null;
    }

    /** Puts into a batch what may go now. */
    SendScheduler.Turn write(MessageBatch batch) {
        if (resetDue) {
            resetDue = false;
            batch.signal(MessageFrameCodec.RESET, stream.id());
        }
        int bytes = 0;
        for (SendSubscriber<?> sender = next(); sender != null && credit > 0; sender = next()) {
            Object message = sender.peek();
            if (message == null) {
                continue;
            }
            long length = SendSubscriber.length(message);
            if (length > mostInline) {
                large = sender;
                return offers < MOST_OFFERS && mux.outbox().mayOffer(stream) ? SendScheduler.Turn.LARGE
                        : SendScheduler.Turn.DONE;
            }
            if (length > creditBytes) {
                return SendScheduler.Turn.DONE;
            }
            int needed = (int) length + MessageFrameCodec.DATA_FRAME_BYTES;
            if (!batch.hasRoom(needed)) {
                stepBack();
                return SendScheduler.Turn.FULL;
            }
            put(batch, sender, message, length);
            bytes += needed;
            if (bytes >= TURN_BYTES) {
                return SendScheduler.Turn.OVER;
            }
        }
        return finish(batch) ? SendScheduler.Turn.DONE : SendScheduler.Turn.FULL;
    }

    /** Whoever was about to send is the first to do so next time. */
    private void stepBack() {
        turn = (turn == 0 ? senders.size() : turn) - 1;
    }

    private void spend(long length) {
        credit--;
        creditBytes -= length;
        mux.outbox().spent();
    }

    private void put(MessageBatch batch, SendSubscriber<?> sender, Object message, long length) {
        if (message instanceof byte[] bytes) {
            batch.data(stream.id(), bytes);
        } else {
            try {
                batch.data(stream.id(), ((UcxBuffer) message).segment());
            } catch (IllegalStateException e) {
                // It was released before it could be sent.
                sender.spoiled(e);
                return;
            }
        }
        spend(length);
        sender.taken(false);
    }

    /** Says that this side has ended, when it has; answers whether there was room for that. */
    private boolean finish(MessageBatch batch) {
        StreamTermination how = last;
        if (how == null || ended || !senders.isEmpty()) {
            return true;
        }
        if (!batch.hasRoom(MessageFrameCodec.CONTROL_FRAME_BYTES + how.textBytes())) {
            return false;
        }
        how.write(batch, stream.id());
        ended = true;
        voidCredit();
        stream.maybeClosed();
        return true;
    }

    /** Offers the large message that {@link #write} came to; answers whether it went. */
    boolean sendLarge() {
        SendSubscriber<?> sender = large;
        Object message = sender == null ? null : sender.peek();
        if (sender == null || message == null || credit == 0) {
            return true;
        }
        RendezvousSend offer;
        try {
            offer = RendezvousSend.of(this, sender, message);
        } catch (RuntimeException e) {
            // The pool will never have room for it, or cannot have any.
            sender.spoiled(e);
            stream.ready();
            return true;
        }
        if (offer == null) {
            stepBack();
            return true;
        }
        try {
            return offer(sender, offer);
        } catch (IllegalArgumentException | IllegalStateException e) {
            // It was released before it could be sent, or is memory of other resources.
            offer.withdraw();
            sender.spoiled(e);
            stream.ready();
            return true;
        }
    }

    private boolean offer(SendSubscriber<?> sender, RendezvousSend offer) {
        Boolean done = mux.outbox().offer(stream.id(), offer.segment(), offer.registration(), offer);
        if (done == null) {
            offer.withdraw();
            stepBack();
            stream.ready();
            return false;
        }
        spend(0);
        offers++;
        sender.taken(true);
        if (done) {
            offer.ended();
        }
        stream.ready();
        return true;
    }

    /** Whether nothing has to be said or heard about it. */
    boolean hasEnded() {
        return ended && offers == 0;
    }

    void offerEnded() {
        offers--;
        stream.ready();
        stream.maybeClosed();
    }

    StreamBuffers memory() {
        StreamBuffers made = memory;
        if (made == null) {
            made = new StreamBuffers(stream, mux, stream::ready);
            memory = made;
        }
        return made;
    }

    private void cancelMemory() {
        if (memory != null) {
            memory.cancel();
        }
    }

    MessageMultiplexer mux() {
        return mux;
    }
}
