package io.reactorucx.internal.message;

import io.reactorucx.internal.frame.MessageFrameCodec;
import io.reactorucx.transport.frame.ProtocolViolationException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The outgoing direction of a stream: its sends, the credit that the peer has given for their messages, and its end.
 * Several sends at once take turns, message by message.
 *
 * <p>Thread: engine.
 */
final class OutboundStream {

    /** Large messages of one stream that the peer has yet to fetch. */
    private static final int MAX_RENDEZVOUS = 32;
    /** Bytes that a stream may write before the other streams of the connection have their turn. */
    private static final int QUANTUM_BYTES = 2 << 10;
    private static final String CANCELLED_BY_PEER = "cancelled by peer";
    private static final List<SendSubscriber<?>> NO_SENDERS = Collections.emptyList();

    private final MessageStream stream;
    private final MessageMultiplexer mux;
    private final int maxInlineBytes;
    private @Nullable StreamBuffers buffers;
    /** Allocated with the first send. */
    private List<SendSubscriber<?>> senders = NO_SENDERS;
    private int lastSender;
    private long credit;
    private long creditBytes;
    private int rendezvousInFlight;
    private @Nullable SendSubscriber<?> rendezvousSender;
    private boolean resetDue;
    private MessageStream.@Nullable Termination termination;
    private boolean ended;
    private boolean cancelled;
    private @Nullable RuntimeException refusal;
    private boolean scheduled;
    private boolean interrupted;
    private boolean interruptionDue;
    /** When the senders began to wait for credit, 0 if they do not. */
    private long waitingSince;

    OutboundStream(MessageStream stream, MessageMultiplexer mux) {
        this.stream = stream;
        this.mux = mux;
        this.maxInlineBytes = mux.limits().rendezvousBytes();
    }

    /** This side had written its end before this object was made. */
    void endedBefore() {
        ended = true;
    }

    /** The peer had given so much credit before this object was made. */
    void grantedBefore(int messages, int bytes) {
        credit = messages;
        creditBytes = bytes;
    }

    /** Adds a send, and lets its source produce as far as the peer's credit goes. */
    void add(SendSubscriber<?> sender) {
        RuntimeException reason = refusal;
        if (reason != null || ended || termination != null) {
            sender.fail(reason != null ? reason : mux.closed("send",
                    cancelled ? CANCELLED_BY_PEER : "this side has completed the stream"));
            return;
        }
        if (sender.hasEnded()) {
            // Cancelled before it was added: nothing would remove it again.
            return;
        }
        try (var _ = mux.flushScope()) {
            if (senders == NO_SENDERS) {
                senders = new ArrayList<>(1);
            }
            senders.add(sender);
            notified(sender);
            sender.replenish(allowance());
            if (sender.isActive()) {
                ready();
            }
        }
    }

    void remove(SendSubscriber<?> sender) {
        cancelBuffers();
        if (senders.remove(sender)) {
            if (senders.isEmpty()) {
                waitingSince = mux.counters().creditWait().end(waitingSince);
            }
            // Without any send left, LAST may be due at the end of the scope.
            try (var _ = mux.flushScope()) {
                if (termination != null || !senders.isEmpty()) {
                    // The other sends may have waited for the buffer of this one, the stream's end for all of them.
                    ready();
                }
            }
        }
    }

    /**
     * Writes a small message straight into the open batch if no other message is waiting. Returns whether it did; else
     * the sender queues the message.
     */
    boolean sendNow(SendSubscriber<?> sender, Object message) {
        int length = (int) SendSubscriber.length(message);
        if (length > creditBytes || length > maxInlineBytes || credit == 0 || ended || senders.size() != 1) {
            return false;
        }
        try (var _ = mux.flushScope()) {
            MessageBatch batch = mux.scheduler().openBatchFor(length + MessageFrameCodec.DATA_FRAME_BYTES);
            if (batch == null) {
                return false;
            }
            batch.message(stream.id(), message);
            SendSubscriber.release(message);
            spend(length, length);
            sender.sentNow();
            return true;
        }
    }

    /** A sender has queued messages, or its source has ended. */
    void senderReady(SendSubscriber<?> sender) {
        try (var _ = mux.flushScope()) {
            if (sender.peek() == null) {
                sender.notifyAfterFlush();
            }
            ready();
        }
    }

    /** Schedules the stream, which has something to write. */
    void ready() {
        mux.scheduler().schedule(this);
    }

    /** Marks the stream as scheduled. Returns false if it is already, or is closed. */
    boolean markScheduled() {
        if (scheduled || stream.isClosed()) {
            return false;
        }
        scheduled = true;
        return true;
    }

    /** Returns how many messages one source may have outstanding: what the peer takes, and this side buffers. */
    long allowance() {
        return Math.min(credit, mux.limits().windowMessages());
    }

    /** Returns what a send waits for, null for nothing that another side or connection has to do. */
    DemandWatch.@Nullable Wait waitOf(SendSubscriber<?> sender) {
        Object next = sender.peek();
        if (sender.hasSentAll()) {
            return sender.offered() > 0 ? DemandWatch.Wait.FETCH : null;
        }
        if (ended || next == null && (credit > 0 || sender.isIdleEcho())) {
            return null;
        }
        boolean large = next != null && SendSubscriber.length(next) > maxInlineBytes;
        if (credit == 0 || next != null && !large && SendSubscriber.length(next) > creditBytes) {
            return DemandWatch.Wait.DEMAND;
        }
        if (large && mux.scheduler().rendezvous().isWaitingForEngine(this)) {
            return DemandWatch.Wait.OTHER_CONNECTIONS;
        }
        return large && sender.offered() > 0 ? DemandWatch.Wait.FETCH : null;
    }

    /** The peer has given more credit. */
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
        if (credit > 0) {
            waitingSince = mux.counters().creditWait().end(waitingSince);
        }
        for (SendSubscriber<?> sender : senders) {
            sender.notifyAfterFlush();
            if (sender.isActive()) {
                ready();
            }
        }
    }

    private void spend(long bytes, long length) {
        credit--;
        creditBytes -= bytes;
        if (stream.isDefault()) {
            mux.scheduler().messageQueued(length);
        } else {
            mux.scheduler().requestMessageQueued(length);
        }
    }

    /** A sender that has more to send was notified of what was sent. */
    void notified(SendSubscriber<?> sender) {
        if (credit == 0 && !ended && !sender.hasSentAll()) {
            waitingSince = mux.counters().creditWait().begin(waitingSince);
        }
    }

    private void voidCredit() {
        mux.counters().credit(-credit);
        credit = 0;
        creditBytes = 0;
    }

    /** Writes the stream's control frames and then messages, as far as credit, quantum and the batch's room go. */
    SendScheduler.Turn write(MessageBatch batch) {
        scheduled = false;
        if (!writeControl(batch)) {
            return SendScheduler.Turn.BATCH_FULL;
        }
        int bytes = 0;
        for (SendSubscriber<?> sender = nextSender(); sender != null && credit > 0; sender = nextSender()) {
            Object message = sender.peek();
            if (message == null) {
                continue;
            }
            long length = SendSubscriber.length(message);
            if (length > maxInlineBytes) {
                rendezvousSender = sender;
                return rendezvousInFlight < MAX_RENDEZVOUS && mux.scheduler().rendezvous().admits(this)
                        ? SendScheduler.Turn.RENDEZVOUS_NEXT : SendScheduler.Turn.DRAINED;
            }
            if (length > creditBytes) {
                waitingSince = mux.counters().creditWait().begin(waitingSince);
                return SendScheduler.Turn.DRAINED;
            }
            int needed = (int) length + MessageFrameCodec.DATA_FRAME_BYTES;
            if (!batch.hasRoom(needed)) {
                stepBack();
                return SendScheduler.Turn.BATCH_FULL;
            }
            write(batch, sender, message, length);
            bytes += needed;
            if (bytes >= QUANTUM_BYTES) {
                return SendScheduler.Turn.YIELDED;
            }
        }
        return writeTermination(batch) ? SendScheduler.Turn.DRAINED : SendScheduler.Turn.BATCH_FULL;
    }

    /** Writes OPEN, CANCEL, CREDIT and RESET where they are due. Returns false if the batch has no room for them. */
    private boolean writeControl(MessageBatch batch) {
        if (!stream.writeOpen(batch) || !batch.hasRoom(4 * MessageFrameCodec.CONTROL_FRAME_BYTES)) {
            return false;
        }
        if (interruptionDue) {
            interruptionDue = false;
            MessageStream.Termination.INTERRUPTED.write(batch, stream.id());
        }
        stream.input().writeControl(batch);
        if (resetDue) {
            resetDue = false;
            batch.signal(MessageFrameCodec.RESET, stream.id());
        }
        return true;
    }

    private void write(MessageBatch batch, SendSubscriber<?> sender, Object message, long length) {
        try {
            batch.message(stream.id(), message);
        } catch (IllegalStateException e) {
            // The application has released the memory.
            sender.rejectMessage(e);
            return;
        }
        spend(length, length);
        sender.sent(false);
    }

    /** Writes the stream's end if it is due. Returns false if the batch has no room for it. */
    private boolean writeTermination(MessageBatch batch) {
        MessageStream.Termination how = termination;
        if (how == null || ended || !senders.isEmpty()) {
            return true;
        }
        if (!batch.hasRoom(MessageFrameCodec.CONTROL_FRAME_BYTES + how.textBytes())) {
            return false;
        }
        how.write(batch, stream.id());
        ended = true;
        voidCredit();
        stream.closeIfEnded();
        return true;
    }

    /** Returns the next sender in turn that has a message, or null. */
    private @Nullable SendSubscriber<?> nextSender() {
        for (int i = senders.size(); i > 0; i--) {
            lastSender = lastSender + 1 < senders.size() ? lastSender + 1 : 0;
            SendSubscriber<?> sender = senders.get(lastSender);
            if (sender.peek() != null) {
                return sender;
            }
        }
        return null;
    }

    /** Lets the sender whose turn it was have the next turn too. */
    private void stepBack() {
        lastSender = (lastSender == 0 ? senders.size() : lastSender) - 1;
    }

    /** Posts the large message at which {@link #write} stopped. Returns whether the scheduler may go on. */
    boolean postRendezvous() {
        SendSubscriber<?> sender = rendezvousSender;
        Object message = sender == null ? null : sender.peek();
        if (sender == null || message == null || credit == 0) {
            return true;
        }
        RendezvousWindow.Outcome outcome = mux.scheduler().rendezvous().post(this, sender, message);
        if (outcome != RendezvousWindow.Outcome.TAKEN) {
            stepBack();
        }
        if (outcome != RendezvousWindow.Outcome.NO_MEMORY) {
            ready();
        }
        return outcome != RendezvousWindow.Outcome.REFUSED;
    }

    void rendezvousPosted(SendSubscriber<?> sender, long length) {
        spend(0, length);
        rendezvousInFlight++;
        sender.sent(true);
    }

    /** UCX has finished with a large message. */
    void rendezvousCompleted() {
        rendezvousInFlight--;
        ready();
        stream.closeIfEnded();
    }

    /**
     * The peer takes no more messages. The default stream stays open for the peer's next subscriber. A send whose
     * messages have all been sent does not fail: the peer may have cancelled with the last of them, and its CANCEL may
     * arrive before UCX reports that a large message was fetched.
     */
    void cancelledByPeer() {
        List<SendSubscriber<?>> interrupted = senders.stream().filter(sender -> !sender.hasSentAll()).toList();
        // An exception is costly, and with each large request the responder cancels what has been sent.
        RuntimeException error = interrupted.isEmpty() ? null : mux.closed("send", CANCELLED_BY_PEER);
        if (stream.isDefault()) {
            resetDue = true;
            voidCredit();
            fail(interrupted, error);
            ready();
        } else {
            cancelled |= !ended;
            end(interrupted, error);
        }
    }

    /** Ends the stream after the messages of the sends that are subscribed to. */
    void terminate(MessageStream.Termination how) {
        if (termination == null && !ended) {
            try (var _ = mux.flushScope()) {
                termination = how;
                ready();
            }
        }
    }

    /** Ends the stream at once: sends that are subscribed to, and later ones, fail with the error. */
    void end(RuntimeException error) {
        end(List.copyOf(senders), error);
    }

    /** Ends the direction. The error may be null if no send fails. */
    private void end(List<SendSubscriber<?>> failing, @Nullable RuntimeException error) {
        boolean first = !ended;
        if (first) {
            ended = true;
            voidCredit();
            refusal = error;
        }
        fail(failing, error);
        if (first) {
            stream.closeIfEnded();
        }
    }

    private void fail(List<SendSubscriber<?>> failing, @Nullable RuntimeException error) {
        rendezvousSender = null;
        cancelBuffers();
        if (error != null && !failing.isEmpty()) {
            senders.removeAll(failing);
            failing.forEach(sender -> sender.fail(error));
        }
        if (ended || senders.isEmpty()) {
            waitingSince = mux.counters().creditWait().end(waitingSince);
        }
    }

    /**
     * This side closes: queued messages are sent, and the sources are asked for no more. The peer learns whether that
     * interrupts the stream: whatever the application ends it with from now on comes too late.
     */
    void closing(RuntimeException error) {
        refusal = error;
        if (stream.isDefault()) {
            interrupted |= senders.stream().anyMatch(sender -> !sender.isDone());
        } else {
            terminate(MessageStream.Termination.INTERRUPTED);
        }
        List.copyOf(senders).forEach(sender -> sender.stopSource(error));
    }

    /** The peer has closed the connection. It learns whether that interrupts the default stream. */
    void peerFinished(RuntimeException unsent) {
        if (stream.isDefault() && senders.stream().anyMatch(sender -> !sender.hasSentAll())) {
            interruptionDue = true;
            ready();
        }
        end(unsent);
    }

    /** Sets whether the stream ends incomplete with its connection, even if no send is in progress then. */
    void interrupted(boolean value) {
        interrupted = value;
    }

    boolean isInterrupted() {
        return interrupted;
    }

    /** Returns whether the peer has yet to learn that its close has interrupted the default stream. */
    boolean isInterruptionDue() {
        return interruptionDue;
    }

    /** Returns whether there has ever been a send. */
    boolean isUsed() {
        return senders != NO_SENDERS;
    }

    /** Returns whether all queued messages have been sent and the peer has fetched the large ones. */
    boolean isDrained() {
        return senders.isEmpty() && rendezvousInFlight == 0;
    }

    /** Returns whether no frame about this direction is due, in either direction. */
    boolean hasEnded() {
        return ended && rendezvousInFlight == 0;
    }

    List<SendSubscriber<?>> senders() {
        return senders;
    }

    /** Returns the pool's memory for this direction, for large messages that are not in registered memory. */
    StreamBuffers buffers() {
        StreamBuffers made = buffers;
        if (made == null) {
            made = new StreamBuffers(stream, mux, this::ready);
            buffers = made;
        }
        return made;
    }

    private void cancelBuffers() {
        if (buffers != null) {
            buffers.cancel();
        }
    }

    MessageMultiplexer mux() {
        return mux;
    }

    int id() {
        return stream.id();
    }

    String name() {
        return stream.toString();
    }
}
