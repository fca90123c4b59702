package io.reactorucx.internal.message.send;

import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.internal.frame.MessageFrameCodec;
import io.reactorucx.internal.message.batch.MessageBatch;
import io.reactorucx.internal.message.batch.SequenceWindow;
import io.reactorucx.internal.message.context.StreamContext;
import io.reactorucx.transport.command.CoalescedCommand;
import io.reactorucx.transport.connection.ConnectionCore;
import io.reactorucx.transport.frame.ReservedMessageIds;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Schedules the outgoing messages of a connection. Streams with pending data are served round-robin; small messages
 * that are ready at the same time share one batch (active message 1022).
 *
 * <p>Thread: engine.
 */
public final class SendScheduler {

    private static final Logger LOG = LoggerFactory.getLogger(SendScheduler.class);

    /** How a stream's turn ended. */
    enum Turn {
        /** The stream has nothing more that may go now. */
        DRAINED,
        /** The stream has used up its quantum and is queued again behind the others. */
        YIELDED,
        /** The stream has more, and the batch has no room for it. */
        BATCH_FULL,
        /** The stream's next message is large and is posted by itself, after the batch. */
        RENDEZVOUS_NEXT
    }

    private final StreamContext context;
    private final SequenceWindow sequence;
    private final MessageBatch.Pool batches;
    private final BooleanSupplier drained;
    private final RendezvousWindow rendezvous;
    private final ArrayDeque<OutboundStream> ready = new ArrayDeque<>();
    private final Queue<SendSubscriber<?>> toNotify = new ArrayDeque<>();
    private final Consumer<MessageBatch> whenCompleted = this::batchCompleted;
    private final SharedSendWindow.Share window = new SharedSendWindow.Share(this::onSendWindowOpen);
    private final Interruption interruption = new Interruption();
    /** The batch that is being filled; outside of {@link #fill} it has a frame. */
    private @Nullable MessageBatch current;
    /** The current batch, as long as no stream is queued: a sender may write into it without a turn. */
    private @Nullable MessageBatch open;
    private int sentBatches;
    private int queuedMessages;
    private long queuedBytes;
    private int queuedRequestMessages;
    private long queuedRequestBytes;
    private boolean filling;
    /** This side closes the connection, and the peer has not finished before: LAST is written when all is sent. */
    private boolean closing;
    private SendPhase phase = SendPhase.NEW;
    private int lastSequence;
    private long peerToken;

    /**
     * Creates the scheduler of a connection.
     *
     * @param offers the window of the engine's large messages
     * @param drained whether all queued messages have been sent, on all streams
     */
    public SendScheduler(StreamContext context, SequenceWindow sequence, MessageBatch.Pool batches,
            SharedSendWindow offers, BooleanSupplier drained) {
        this.context = context;
        this.sequence = sequence;
        this.batches = batches;
        this.drained = drained;
        this.rendezvous = new RendezvousWindow(this, context, sequence, offers, this::onSendWindowOpen);
    }

    /** The connection is established: messages to the peer begin with this. */
    public void connected(long token) {
        peerToken = token;
    }

    long peerToken() {
        return peerToken;
    }

    /** Counts the batches in flight together with those of other connections from now on. */
    public void shareWindow(SharedSendWindow shared) {
        window.join(shared);
    }

    /** Queues a stream that has something to write. */
    void schedule(OutboundStream stream) {
        if (phase != SendPhase.STOPPED && !stream.isScheduled()) {
            // The mark comes last: where the stack overflows before, the stream is tried again.
            ready.add(stream);
            open = null;
            stream.scheduled();
        }
    }

    /** Queues a sender to be notified when the queued messages have been sent: it may end, or ask for more. */
    void notifyAfterFlush(SendSubscriber<?> sender) {
        toNotify.add(sender);
    }

    /** Counts a message of a stream that was written into a batch or posted. */
    void queued(int stream, long bytes) {
        if (stream == 0) {
            queuedMessages++;
            queuedBytes += bytes;
        } else {
            queuedRequestMessages++;
            queuedRequestBytes += bytes;
        }
    }

    /** Sends what is queued, as far as UCX and the peer take it. */
    public void flush() {
        boolean more = hasWork() || sequence.isAcknowledgementDue();
        // The window is checked after the last batch too: sources that were notified may have queued more.
        while (more && !awaitsWindow()) {
            boolean went = phase != SendPhase.STOPPED && sendNextBatch();
            more = notifySenders() || went && hasWork();
        }
        if (sentBatches > 0 || queuedMessages > 0 || queuedRequestMessages > 0) {
            count();
        }
    }

    private void count() {
        context.counters().sent(sentBatches, queuedMessages, queuedBytes, queuedRequestMessages, queuedRequestBytes);
        sentBatches = 0;
        queuedMessages = 0;
        queuedBytes = 0;
        queuedRequestMessages = 0;
        queuedRequestBytes = 0;
    }

    /** Returns whether there is something to do, an acknowledgement aside, which each batch carries. */
    private boolean hasWork() {
        return current != null || !ready.isEmpty() || !toNotify.isEmpty() || isLastDue();
    }

    /**
     * Queues the connection for the send window if UCX has as many batches for the peer's worker as it may. Returns
     * whether the window is closed; sources are not asked for more until it opens.
     */
    private boolean awaitsWindow() {
        if (phase == SendPhase.STOPPED || window.admits()) {
            return false;
        }
        window.await();
        return true;
    }

    private void onSendWindowOpen() {
        boolean flushed = false;
        try {
            context.flushScope().close();
            flushed = true;
        } finally {
            if (!flushed) {
                context.retry().flush();
            }
        }
    }

    private boolean notifySenders() {
        boolean any = false;
        for (SendSubscriber<?> sender = toNotify.poll(); sender != null; sender = toNotify.poll()) {
            sender.flushed();
            any = true;
        }
        return any;
    }

    /** Fills a batch, sends it, and posts the large message behind it. Returns whether there may be more to send. */
    private boolean sendNextBatch() {
        OutboundStream large = fill();
        // The end of a send goes into the same batch as its last message.
        while (large == null && notifySenders()) {
            // The batch is another one if a source produced more than fitted into the first.
            large = fill();
        }
        if (phase == SendPhase.STOPPED) {
            return false;
        }
        MessageBatch batch = current;
        if (batch == null && large == null && sequence.isAcknowledgementDue()) {
            batch = takeBatch(false);
        }
        if (batch != null && !send(batch)) {
            if (large != null) {
                scheduleFirst(large);
            }
            return false;
        }
        return large == null ? batch != null : large.postRendezvous();
    }

    /**
     * Writes a message straight into the open batch, and returns whether it did: if not, something waits before it.
     *
     * @param length the message's, which is small
     */
    boolean write(int stream, Object message, int length) {
        MessageBatch batch = openBatchFor(length + MessageFrameCodec.DATA_FRAME_BYTES);
        if (batch == null) {
            return false;
        }
        try {
            batch.message(stream, message);
        } catch (RuntimeException e) {
            giveBackIfEmpty(batch);
            throw e;
        }
        queued(stream, length);
        return true;
    }

    /**
     * Returns a batch with room for a message that need not wait for a turn, because no stream is queued. Returns null
     * if one is, or no batch may be sent. What is written goes out with the flush scope that is open.
     */
    public @Nullable MessageBatch openBatchFor(int bytes) {
        MessageBatch batch = open;
        if (batch != null && batch.hasRoom(bytes)) {
            return batch;
        }
        // A sender that was waiting for a buffer may call while the batch is filled, which goes on with it.
        boolean blocked = filling || !ready.isEmpty() || phase != SendPhase.ANNOUNCED || batch != null && !send(batch);
        batch = blocked ? null : takeBatch(true);
        if (batch == null || !batch.hasRoom(bytes)) {
            return null;
        }
        open = batch;
        return batch;
    }

    /**
     * Returns the batch that is being filled, else an empty one; null if UCX takes none now.
     *
     * @param forMessages whether the peer has to have room for it, as it always has for an acknowledgement
     */
    private @Nullable MessageBatch takeBatch(boolean forMessages) {
        if (forMessages && !sequence.admits() || current == null && !window.isOpen()) {
            return null;
        }
        MessageBatch batch = current;
        if (batch == null) {
            batch = batches.take(whenCompleted, context.limits().batchBytes(), context.limits().rendezvousBytes());
            current = batch;
        }
        return batch;
    }

    private void giveBackIfEmpty(MessageBatch batch) {
        if (batch == current && batch.isEmpty()) {
            current = null;
            open = null;
            batches.give(batch);
        }
    }

    /** Lets the queued streams write in turn. Returns the stream whose next message is large, if it came to one. */
    private @Nullable OutboundStream fill() {
        MessageBatch batch = ready.isEmpty() && !isLastDue() ? null : takeBatch(true);
        if (batch == null) {
            return null;
        }
        filling = true;
        try {
            return fillInTurn(batch);
        } finally {
            filling = false;
            giveBackIfEmpty(batch);
        }
    }

    private @Nullable OutboundStream fillInTurn(MessageBatch batch) {
        if (phase == SendPhase.NEW) {
            phase = SendPhase.ANNOUNCED;
            batch.settings(context.maxMessageBytes(), context.limits().maxStreams());
        }
        for (OutboundStream stream = ready.poll(); stream != null; stream = ready.poll()) {
            switch (stream.write(batch)) {
                case DRAINED -> { }
                case YIELDED -> schedule(stream);
                case BATCH_FULL -> {
                    scheduleFirst(stream);
                    return null;
                }
                case RENDEZVOUS_NEXT -> {
                    return stream;
                }
            }
        }
        if (isLastDue() && batch.hasRoom(MessageFrameCodec.FRAME_BYTES + MessageFrameCodec.CONTROL_FRAME_BYTES)) {
            phase = SendPhase.LAST_WRITTEN;
            if (interruption.isExpected()) {
                interruption.write(batch);
            }
            batch.signal(MessageFrameCodec.LAST, 0);
        }
        return null;
    }

    private void scheduleFirst(OutboundStream stream) {
        if (!stream.isScheduled()) {
            ready.addFirst(stream);
            stream.scheduled();
        }
    }

    private boolean send(MessageBatch batch) {
        open = null;
        int number = sequence.take(batch.byteSize());
        boolean taken = false;
        try {
            batch.finish(peerToken, number, sequence.acknowledge());
            ConnectionCore connection = context.connection();
            boolean completed = connection.sendNow(ReservedMessageIds.MESSAGES, batch.bytes(), batch.byteSize())
                    || connection.send(ReservedMessageIds.MESSAGES, MemorySegment.NULL, batch.toNative(), null,
                            AmProtocol.EAGER, batch);
            taken = true;
            current = null;
            sentBatches++;
            if (phase == SendPhase.LAST_WRITTEN) {
                phase = SendPhase.LAST_SENT;
                lastSequence = number;
            }
            if (completed) {
                batches.give(batch);
            } else {
                window.batchStarted();
            }
            return true;
        } catch (RuntimeException e) {
            refused(e);
            return false;
        } finally {
            if (!taken) {
                // Also for an error, such as an overflow of the stack: the peer would wait for the number.
                sequence.giveBack();
                giveBackIfEmpty(batch);
            }
        }
    }

    /** UCX has completed a batch that was in flight. */
    private void batchCompleted(MessageBatch batch) {
        try (var _ = context.flushScope()) {
            window.batchCompleted();
            batches.give(batch);
        } finally {
            window.admitNext();
        }
    }

    /** UCX has refused a batch or a large message: tries again, or stops for good. */
    void refused(RuntimeException e) {
        if (e instanceof UcxException refusal && refusal.isRetryable()) {
            // All slots of the engine are in use.
            context.retry().flush();
        } else {
            LOG.debug("[{}] sends no more messages", context.connection().name(), e);
            open = null;
            phase = SendPhase.STOPPED;
        }
    }

    /** Returns how many large messages the connections of the engine may have in flight together. */
    public int maxOffers() {
        return rendezvous.engineLimit();
    }

    Interruption interruption() {
        return interruption;
    }

    /** Sets whether the default stream ends incomplete, even if no send is in progress when this side closes. */
    public void interrupted(boolean incomplete) {
        interruption.expect(incomplete);
    }

    /** Returns whether the peer has yet to learn that its close has interrupted the default stream. */
    public boolean isInterruptionDue() {
        return interruption.isUnsent(current) && phase != SendPhase.STOPPED;
    }

    RendezvousWindow rendezvous() {
        return rendezvous;
    }

    private boolean isLastDue() {
        return closing && (phase == SendPhase.ANNOUNCED || phase == SendPhase.NEW && interruption.isExpected())
                && drained.getAsBoolean();
    }

    /** Returns whether the peer has received everything up to LAST, or has never been sent anything. */
    public boolean isDelivered() {
        return switch (phase) {
            // A source may have signalled what the engine has not looked for yet.
            case NEW -> drained.getAsBoolean() && !isLastDue();
            case ANNOUNCED, LAST_WRITTEN -> false;
            case LAST_SENT -> sequence.hasArrived(lastSequence);
            case STOPPED -> true;
        };
    }

    /** Sets whether LAST is to be written behind all queued messages. */
    public void closing(boolean value) {
        closing = value;
    }

    /** Sends nothing more. */
    public void stop() {
        phase = SendPhase.STOPPED;
        window.cancelAwait();
        rendezvous.stop();
        open = null;
        ready.clear();
    }

    /** The connection has ended. */
    public void leaveWindow() {
        if (window.leave() | rendezvous.leave()) {
            // Deferred: waking the other connections calls application code (their sources), which must not run while
            // this connection is closing.
            CoalescedCommand.delayed(context.connection().engine(), () -> {
                window.admitNext();
                rendezvous.admitNext();
            }).submit();
        }
    }
}
