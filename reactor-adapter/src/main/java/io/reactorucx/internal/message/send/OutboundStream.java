package io.reactorucx.internal.message.send;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.internal.frame.MessageFrameCodec;
import io.reactorucx.internal.message.batch.MessageBatch;
import io.reactorucx.internal.message.batch.Termination;
import io.reactorucx.internal.message.context.DuplexStream;
import io.reactorucx.internal.message.context.StreamBuffers;
import io.reactorucx.internal.message.context.StreamContext;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The outgoing direction of a stream: its sends, the credit that the peer has given for their messages, and its end.
 * Several sends at once take turns, message by message.
 *
 * <p>Thread: engine.
 */
public final class OutboundStream implements Runnable {

    /** Large messages of one stream that the peer has yet to fetch. */
    private static final int MAX_RENDEZVOUS = 32;
    /** Bytes that a stream may write before the other streams of the connection have their turn. */
    private static final int QUANTUM_BYTES = 2 << 10;
    private static final String CANCELLED_BY_PEER = "cancelled by peer";

    /** The reason why a send waits. */
    public enum Wait {
        /** The peer's subscriber has not requested the next message. */
        DEMAND,
        /** The peer has requested large messages, was offered them, and has not fetched them. */
        FETCH,
        /** The connections of the engine have offered as many large messages as they may, and no peer fetches one. */
        OTHER_CONNECTIONS,
        /** Copies of large messages, on any connection, have their share of the pool, and no peer fetches one. */
        COPIES
    }

    private final DuplexStream stream;
    private final StreamContext context;
    private final SendScheduler scheduler;
    private final int maxInlineBytes;
    private final SenderRotation senders = new SenderRotation();
    private final SendCredit credit;
    private @Nullable StreamBuffers buffers;
    private int rendezvousInFlight;
    private @Nullable SendSubscriber<?> rendezvousSender;
    private OutboundState state = OutboundState.OPEN;
    /** How the stream ends, once that is due. */
    private @Nullable Termination termination;
    /** The error of sends that come too late, if it is not the state that says why. */
    private @Nullable RuntimeException refusal;
    private boolean resetDue;
    private boolean scheduled;

    public OutboundStream(DuplexStream stream, StreamContext context, SendScheduler scheduler) {
        this.stream = stream;
        this.context = context;
        this.scheduler = scheduler;
        this.maxInlineBytes = context.limits().rendezvousBytes();
        this.credit = new SendCredit(context.counters());
    }

    /** This side had written its end before this object was made. */
    public void endedBefore() {
        state = OutboundState.ENDED;
    }

    /** The peer had given so much credit before this object was made. */
    public void grantedBefore(int messages, int bytes) {
        credit.grantedBefore(messages, bytes);
    }

    /** Adds a send, and lets its source produce as far as the peer's credit goes. */
    void add(SendSubscriber<?> sender) {
        if (refusal != null || state != OutboundState.OPEN) {
            sender.fail(lateSend());
            return;
        }
        if (sender.hasEnded()) {
            // Cancelled before it was added: nothing would remove it again.
            return;
        }
        long allowance = allowance();
        boolean nested = context.scope().isHere();
        try (var _ = context.flushScope()) {
            senders.add(sender);
            boolean finished = sender.produce(allowance);
            if (finished && !nested) {
                // All of its messages are written, and it needs no turn. Within another call its end has to wait.
                removed(sender);
                sender.finish();
            } else if (!sender.hasEnded()) {
                sender.notifyAfterFlush();
                if (sender.isActive()) {
                    ready();
                }
            }
        }
    }

    private RuntimeException lateSend() {
        RuntimeException reason = refusal;
        return reason != null ? reason : context.closed("send", state == OutboundState.CANCELLED ? CANCELLED_BY_PEER
                : "this side has completed the stream");
    }

    void remove(SendSubscriber<?> sender) {
        // Without any send left, LAST may be due at the end of the scope.
        try (var _ = context.flushScope()) {
            removed(sender);
        }
    }

    private void removed(SendSubscriber<?> sender) {
        if (!senders.remove(sender)) {
            // The memory that is waited for is another one's.
            return;
        }
        cancelBuffers();
        if (senders.isEmpty()) {
            credit.endWait();
        }
        if (termination != null || !senders.isEmpty()) {
            // The other sends may have waited for the buffer of this one, the stream's end for all of them.
            ready();
        }
    }

    /**
     * Writes the small message of a sender straight into the open batch, and returns whether it did: if not, it has to
     * wait for a turn. Within a flush scope.
     */
    boolean writeNow(Object message, long length) {
        // There is no credit once the direction has ended.
        if (!credit.covers(length) || length > maxInlineBytes || !senders.isSingle()
                || !scheduler.write(stream.id(), message, (int) length)) {
            return false;
        }
        credit.spend(length);
        return true;
    }

    /** A sender has queued messages, or its source has ended. */
    void senderReady(SendSubscriber<?> sender) {
        try (var _ = context.flushScope()) {
            if (sender.peek() == null) {
                sender.notifyAfterFlush();
            }
            ready();
        }
    }

    /** Queues a sender to be notified when what is written has been sent. */
    void notifyAfterFlush(SendSubscriber<?> sender) {
        scheduler.notifyAfterFlush(sender);
    }

    /** Schedules the stream, which has something to write. */
    public void ready() {
        scheduler.schedule(this);
    }

    /** Gets a turn: memory has become free. */
    @Override
    public void run() {
        ready();
    }

    boolean isScheduled() {
        return scheduled;
    }

    /** Is in the scheduler's queue. */
    void scheduled() {
        scheduled = true;
    }

    /** Returns how many messages one source may have outstanding: what the peer takes, and this side buffers. */
    long allowance() {
        return Math.min(credit.messages(), context.limits().windowMessages());
    }

    /** Returns what a send waits for, null for nothing that another side or connection has to do. */
    public @Nullable Wait waitOf(SendSubscriber<?> sender) {
        Object next = sender.peek();
        if (sender.hasSentAll()) {
            return sender.offered() > 0 ? Wait.FETCH : null;
        }
        if (state.hasEnded() || next == null && (!credit.isEmpty() || sender.isIdleEcho())) {
            return null;
        }
        boolean large = next != null && SendSubscriber.length(next) > maxInlineBytes;
        if (credit.isEmpty() || next != null && !large && !credit.covers(SendSubscriber.length(next))) {
            return Wait.DEMAND;
        }
        if (large && scheduler.rendezvous().isWaitingForEngine(this)) {
            return Wait.OTHER_CONNECTIONS;
        }
        if (large && sender.offered() > 0) {
            return Wait.FETCH;
        }
        if (next == null || !large || next instanceof UcxBuffer) {
            return null;
        }
        return context.pool().hasRoomForCopy(SendSubscriber.length(next)) ? null : Wait.COPIES;
    }

    /** The peer has given more credit. */
    public void grant(int messages, int bytes) {
        credit.check(messages, bytes);
        if (state.hasEnded()) {
            return;
        }
        credit.grant(messages, bytes);
        for (SendSubscriber<?> sender : senders.all()) {
            sender.notifyAfterFlush();
            if (sender.isActive()) {
                ready();
            }
        }
    }

    private void spend(long inlineBytes, long length) {
        credit.spend(inlineBytes);
        scheduler.queued(stream.id(), length);
    }

    /** A sender that has more to send was notified of what was sent. */
    void notified(SendSubscriber<?> sender) {
        if (credit.isEmpty() && !state.hasEnded() && !sender.hasSentAll()) {
            credit.beginWait();
        }
    }

    /** Writes the stream's control frames and then messages, as far as credit, quantum and the batch's room go. */
    SendScheduler.Turn write(MessageBatch batch) {
        scheduled = false;
        if (!writeControl(batch)) {
            return SendScheduler.Turn.BATCH_FULL;
        }
        int bytes = 0;
        for (SendSubscriber<?> sender = senders.next(); sender != null && !credit.isEmpty(); sender = senders.next()) {
            Object message = sender.peek();
            if (message == null) {
                continue;
            }
            long length = SendSubscriber.length(message);
            if (length > maxInlineBytes) {
                rendezvousSender = sender;
                return rendezvousInFlight < MAX_RENDEZVOUS && scheduler.rendezvous().admits(this)
                        ? SendScheduler.Turn.RENDEZVOUS_NEXT : SendScheduler.Turn.DRAINED;
            }
            if (!credit.covers(length)) {
                credit.beginWait();
                return SendScheduler.Turn.DRAINED;
            }
            int needed = (int) length + MessageFrameCodec.DATA_FRAME_BYTES;
            if (!batch.hasRoom(needed)) {
                senders.stepBack();
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

    /** Writes the frames that are due before messages. Returns false if the batch has no room for them. */
    private boolean writeControl(MessageBatch batch) {
        if (stream.id() == 0 && scheduler.interruption().isDue()
                && batch.hasRoom(MessageFrameCodec.CONTROL_FRAME_BYTES)) {
            scheduler.interruption().write(batch);
        }
        if (!stream.writeControl(batch)) {
            return false;
        }
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
        sender.sent();
    }

    /** Writes the stream's end if it is due. Returns false if the batch has no room for it. */
    private boolean writeTermination(MessageBatch batch) {
        Termination how = termination;
        if (how == null || state != OutboundState.ENDING || !senders.isEmpty()) {
            return true;
        }
        if (!batch.hasRoom(how.bytes())) {
            return false;
        }
        how.write(batch, stream.id());
        state = state.end();
        credit.revoke();
        stream.closeIfEnded();
        return true;
    }

    /** Posts the large message at which {@link #write} stopped. Returns whether the scheduler may go on. */
    boolean postRendezvous() {
        SendSubscriber<?> sender = rendezvousSender;
        Object message = sender == null ? null : sender.peek();
        if (sender == null || message == null || credit.isEmpty()) {
            return true;
        }
        RendezvousWindow.Outcome outcome = scheduler.rendezvous().post(this, sender, message);
        if (outcome != RendezvousWindow.Outcome.TAKEN) {
            senders.stepBack();
        }
        if (outcome != RendezvousWindow.Outcome.NO_MEMORY) {
            ready();
        }
        return outcome != RendezvousWindow.Outcome.REFUSED;
    }

    void rendezvousPosted(SendSubscriber<?> sender, int number, long length) {
        spend(0, length);
        rendezvousInFlight++;
        sender.offered(number);
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
    public void cancelledByPeer() {
        List<SendSubscriber<?>> interrupted = senders.filter(sender -> !sender.hasSentAll());
        // An exception is costly, and with each large request the responder cancels what has been sent.
        RuntimeException error = interrupted.isEmpty() ? null : context.closed("send", CANCELLED_BY_PEER);
        if (stream.id() == 0) {
            resetDue = true;
            credit.revoke();
            fail(interrupted, error);
            ready();
        } else {
            end(state.cancel(), interrupted, error);
        }
    }

    /** Ends the stream after the messages of the sends that are subscribed to. */
    public void terminate(Termination how) {
        if (termination == null && !state.hasEnded()) {
            try (var _ = context.flushScope()) {
                termination = how;
                state = state.terminate();
                ready();
            }
        }
    }

    /** Ends the stream at once: sends that are subscribed to, and later ones, fail with the error. */
    public void end(RuntimeException error) {
        end(state.end(), List.copyOf(senders.all()), error);
    }

    /** Ends the direction. The error may be null if no send fails. */
    private void end(OutboundState next, List<SendSubscriber<?>> failing, @Nullable RuntimeException error) {
        boolean first = !state.hasEnded();
        if (first) {
            state = next;
            credit.revoke();
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
        if (state.hasEnded() || senders.isEmpty()) {
            credit.endWait();
        }
    }

    /**
     * This side closes: queued messages are sent, and the sources are asked for no more. The peer learns whether that
     * interrupts the stream: whatever the application ends it with from now on comes too late.
     */
    public void closing(RuntimeException error) {
        refusal = error;
        if (stream.id() == 0) {
            state = state.close();
            if (senders.anyMatch(sender -> !sender.isDone())) {
                scheduler.interruption().expect(true);
            }
        } else {
            terminate(Termination.INTERRUPTED);
        }
        List.copyOf(senders.all()).forEach(sender -> sender.stopSource(error));
    }

    /**
     * The peer has closed the connection. It learns whether that interrupts the default stream. A send whose last
     * messages the peer had when it closed does not fail: it fetches them, and UCX reports that later.
     */
    public void peerFinished(RuntimeException unsent) {
        // Where this side closes as well, what it has to say with its LAST: there will be none.
        if (stream.id() == 0 && (scheduler.interruption().isExpected()
                || senders.anyMatch(sender -> !sender.hasSentAll()))) {
            scheduler.interruption().tell();
            ready();
        }
        end(state.end(), senders.filter(sender -> !isFetching(sender)), unsent);
    }

    private boolean isFetching(SendSubscriber<?> sender) {
        return sender.hasSentAll() && sender.offered() > 0 && scheduler.rendezvous().hasArrived(sender);
    }

    /** Returns whether there has ever been a send. */
    public boolean isUsed() {
        return senders.isUsed();
    }

    /** Returns whether all queued messages have been sent and the peer has fetched the large ones. */
    public boolean isDrained() {
        return senders.isEmpty() && rendezvousInFlight == 0;
    }

    /** Returns whether no frame about this direction is due, in either direction. */
    public boolean hasEnded() {
        return state.hasEnded() && rendezvousInFlight == 0;
    }

    public List<SendSubscriber<?>> senders() {
        return senders.all();
    }

    /** Returns the pool's memory for this direction, for large messages that are not in registered memory. */
    StreamBuffers buffers() {
        StreamBuffers made = buffers;
        if (made == null) {
            made = new StreamBuffers(stream, context, this);
            buffers = made;
        }
        return made;
    }

    private void cancelBuffers() {
        if (buffers != null) {
            buffers.cancel();
        }
    }

    StreamContext context() {
        return context;
    }

    int id() {
        return stream.id();
    }

    public String name() {
        return stream.toString();
    }
}
