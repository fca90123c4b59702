package io.reactorucx.internal.message;

import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.Completion;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.core.UcxException;
import io.reactorucx.internal.concurrent.CoalescedCommand;
import io.reactorucx.internal.config.FlowControlConfig;
import io.reactorucx.internal.connection.ConnectionCore;
import io.reactorucx.internal.frame.MessageFrameCodec;
import io.reactorucx.internal.frame.ReservedMessageIds;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What leaves a connection on the active message of messages: the streams that have something to send take turns, and
 * what is small and waits at the same moment goes together. On the engine's thread.
 */
final class SendScheduler {

    private static final Logger LOG = LoggerFactory.getLogger(SendScheduler.class);
    /** Large messages that wait for the peer to fetch them; each has a slot of the engine. */
    private static final int MOST_OFFERS = 256;

    /** How a stream's turn ended. */
    enum Turn {
        /** It has nothing more that may go. */
        DONE,
        /** It has more, and others come first. */
        OVER,
        /** It has more, and the batch no room. */
        FULL,
        /** Its next message is large, and goes by itself. */
        LARGE
    }

    private final ConnectionCore connection;
    private final FlowControlConfig limits;
    private final SequenceWindow sequence;
    private final MessageMultiplexer mux;
    private final MessageBatchPool batches;
    private final ArrayDeque<MessageStream> ready = new ArrayDeque<>();
    private final Set<MessageStream> waitForOffers = new LinkedHashSet<>();
    private final Set<MessageStream> stalled = new LinkedHashSet<>();
    private final Queue<SendSubscriber<?>> unsettled = new ArrayDeque<>();
    private final byte[] largeHeader = new byte[MessageFrameCodec.LARGE_HEADER_BYTES];
    private final MemorySegment largeHeaderSegment = MemorySegment.ofArray(largeHeader);
    private final CoalescedCommand retry;
    private final Consumer<MessageBatch> whenSent = this::sent;
    private final Runnable turn = this::turn;
    private @Nullable MessageBatch current;
    /** The current one, as long as nobody waits for a turn. */
    private @Nullable MessageBatch open;
    /** Its own until it is known with whom it is shared. */
    private SharedSendWindow room = new SharedSendWindow();
    private boolean waitsForRoom;
    /** Of what is under way in the room. */
    private int underWay;
    private int largeUnderWay;
    private int spent;
    private boolean filling;
    private boolean greeted;
    private boolean lastWritten;
    private boolean lastSent;
    private int lastSequence;
    private boolean stopped;

    SendScheduler(MessageMultiplexer mux, ConnectionCore connection, SequenceWindow sequence,
            MessageBatchPool batches) {
        this.mux = mux;
        this.connection = connection;
        this.limits = connection.config().messages();
        this.sequence = sequence;
        this.batches = batches;
        this.retry = CoalescedCommand.delayed(connection.engine(), this::again);
    }

    private void again() {
        mux.within(() -> {
            List<MessageStream> now = List.copyOf(stalled);
            // Those that stall again are for the next attempt: what they need comes back only when the engine goes on.
            stalled.clear();
            now.forEach(stream -> {
                stream.input().drain();
                ready(stream);
            });
        });
    }

    /** From now on what is under way is counted together with that of others. */
    void shares(SharedSendWindow of) {
        room = of;
    }

    /** A stream needs something of which there is too little now; it is tried again in a moment. */
    void retryLater(MessageStream stream) {
        stalled.add(stream);
        retry.submit();
    }

    /** A stream has something to send. */
    void ready(MessageStream stream) {
        if (!stopped && stream.becomesReady()) {
            ready.add(stream);
            open = null;
        }
    }

    /** A sender may have come to its end, or need more from its source: looked at when what is here has been sent. */
    void unsettled(SendSubscriber<?> sender) {
        unsettled.add(sender);
    }

    /** Sends what there is, as far as UCX and the peer take it. */
    void flush() {
        boolean more = true;
        // Also after the last step, within which others may have taken the room.
        while (mayGoOn() && more) {
            more = !stopped && step();
            more |= settle();
        }
        if (spent > 0) {
            mux.counters().spent(spent);
            spent = 0;
        }
        MessageBatch unused = current;
        if (unused != null && unused.isEmpty()) {
            current = null;
            open = null;
            batches.give(unused);
        }
    }

    /**
     * Waits for its turn where UCX has no room for what there is to send, and takes nothing more from the sources until
     * then.
     */
    private boolean mayGoOn() {
        if (stopped || room.admits()) {
            return true;
        }
        if (!waitsForRoom && (hasWork() || !unsettled.isEmpty())) {
            waitsForRoom = true;
            room.waits(turn);
        }
        return false;
    }

    private boolean hasWork() {
        return !ready.isEmpty() || current != null && !current.isEmpty() || sequence.isAcknowledgementDue()
                || isLastDue();
    }

    /** There is room again. */
    private void turn() {
        waitsForRoom = false;
        boolean whole = false;
        mux.enter();
        try {
            mux.leave();
            whole = true;
        } finally {
            if (!whole) {
                retry.submit();
            }
        }
    }

    /** A message has been put into a batch, or is offered. */
    void spent() {
        spent++;
    }

    private boolean settle() {
        boolean any = false;
        for (SendSubscriber<?> sender = unsettled.poll(); sender != null; sender = unsettled.poll()) {
            sender.settle();
            any = true;
        }
        return any;
    }

    private boolean step() {
        MessageBatch batch = hasWork() ? batch() : null;
        MessageStream large = batch == null ? null : fill(batch);
        // What a sender says at its end goes along with its last message.
        while (batch != null && large == null && settle()) {
            // Another one when a source had more at once than there was room for.
            batch = batch();
            large = batch == null ? null : fill(batch);
        }
        if (batch == null || stopped) {
            return false;
        }
        boolean due = !batch.isEmpty() || (sequence.isAcknowledgementDue() && large == null);
        if (due && !send(batch)) {
            if (large != null && large.becomesReady()) {
                ready.addFirst(large);
            }
            return false;
        }
        return large == null ? due : large.output().sendLarge();
    }

    /**
     * The batch that is filled now, for a stream that has something small to say and need not wait for its turn, since
     * nobody else has: null when that is not so, or there is no batch with room for so many bytes.
     */
    @Nullable MessageBatch atOnce(int bytes) {
        if (filling) {
            // Somebody who was waiting for the memory of what has just gone: the one who fills goes on in the same
            // batch.
            return null;
        }
        MessageBatch batch = open;
        if (batch != null && batch.hasRoom(bytes)) {
            return batch;
        }
        boolean blocked = !ready.isEmpty() || !greeted || lastWritten || stopped || batch != null && !send(batch);
        batch = blocked || !sequence.mayGoOn() ? null : batch();
        open = batch;
        return batch != null && batch.hasRoom(bytes) ? batch : null;
    }

    /** One that waits to be sent, else an empty one; null while as many as may be are under way. */
    private @Nullable MessageBatch batch() {
        if (current == null && room.isFree()) {
            current = batches.take(whenSent, limits.batchBytes(), limits.rendezvousBytes());
        }
        return current;
    }

    /** Fills a batch; answers the stream, if it came to one, whose large message is next. */
    private @Nullable MessageStream fill(MessageBatch batch) {
        if (!sequence.mayGoOn()) {
            return null;
        }
        filling = true;
        try {
            return fillInTurn(batch);
        } finally {
            filling = false;
        }
    }

    private @Nullable MessageStream fillInTurn(MessageBatch batch) {
        if (!greeted && !ready.isEmpty()) {
            greeted = true;
            batch.settings(mux.maxMessageBytes(), limits.maxStreams());
        }
        for (MessageStream stream = ready.poll(); stream != null; stream = ready.poll()) {
            stream.takesTurn();
            switch (stream.write(batch)) {
                case DONE -> { }
                case OVER -> ready(stream);
                case FULL -> {
                    if (stream.becomesReady()) {
                        ready.addFirst(stream);
                    }
                    return null;
                }
                case LARGE -> {
                    return stream;
                }
            }
        }
        if (isLastDue() && batch.hasRoom(MessageFrameCodec.FRAME_BYTES)) {
            lastWritten = true;
            batch.signal(MessageFrameCodec.LAST, 0);
        }
        return null;
    }

    private boolean isLastDue() {
        return greeted && !lastWritten && mux.isLastDue();
    }

    private boolean send(MessageBatch batch) {
        open = null;
        int number = sequence.take();
        MemorySegment bytes = batch.finish(number, sequence.acknowledge());
        try {
            boolean done = connection.send(ReservedMessageIds.MESSAGES, MemorySegment.NULL, bytes, null,
                    AmProtocol.EAGER, batch);
            current = null;
            mux.counters().batch();
            if (lastWritten && !lastSent) {
                lastSent = true;
                lastSequence = number;
            }
            if (done) {
                batches.give(batch);
            } else {
                underWay++;
                room.keeps();
            }
            return true;
        } catch (RuntimeException e) {
            sequence.giveBack();
            refused(e);
            return false;
        }
    }

    /** UCX has let go of a batch. */
    void sent(MessageBatch batch) {
        mux.enter();
        try {
            if (underWay > 0) {
                underWay--;
                room.hasRoom();
            }
            batches.give(batch);
        } finally {
            try {
                mux.leave();
            } finally {
                room.next();
            }
        }
    }

    /** The connection has ended: others need not wait for what UCX still has of it, which may be for ever. */
    void leaveRoom() {
        for (; underWay > 0; underWay--) {
            room.hasRoom();
        }
        if (room.isAwaited()) {
            // Not now: their sources are the application's code, and this is the middle of an end.
            CoalescedCommand.delayed(connection.engine(), room::next).submit();
        }
    }

    /** Whether one more large message may be under way; the stream gets its turn when it may. */
    boolean mayOffer(MessageStream stream) {
        if (largeUnderWay < MOST_OFFERS) {
            return true;
        }
        waitForOffers.add(stream);
        return false;
    }

    /** Offers a large message; answers whether it is fetched already, null when it was not accepted. */
    @Nullable Boolean offer(int stream, MemorySegment message, @Nullable UcpMemory registration, Completion whenDone) {
        int number = sequence.take();
        MessageFrameCodec.putInt(largeHeader, 0, number);
        MessageFrameCodec.putInt(largeHeader, Integer.BYTES, sequence.acknowledge());
        MessageFrameCodec.putInt(largeHeader, MessageFrameCodec.PREAMBLE_BYTES, stream);
        try {
            boolean done = connection.send(ReservedMessageIds.MESSAGES, largeHeaderSegment, message, registration,
                    AmProtocol.RENDEZVOUS, whenDone);
            if (!done) {
                largeUnderWay++;
            }
            return done;
        } catch (UcxException e) {
            sequence.giveBack();
            refused(e);
            return null;
        } catch (RuntimeException e) {
            sequence.giveBack();
            throw e;
        }
    }

    /** UCX has let go of a large message. */
    void fetched(Runnable what) {
        mux.within(() -> {
            largeUnderWay--;
            what.run();
            List<MessageStream> waiting = List.copyOf(waitForOffers);
            waitForOffers.clear();
            waiting.forEach(this::ready);
        });
    }

    private void refused(RuntimeException e) {
        if (e instanceof UcxException refusal && refusal.isRetryable()) {
            // Others use all slots of the engine.
            retry.submit();
        } else {
            LOG.debug("[{}] sends no more messages", connection.peer(), e);
            open = null;
            stopped = true;
        }
    }

    /** Whether the peer has all, up to the last word; one that has never heard anything needs none. */
    boolean isDelivered() {
        return stopped || !greeted || (lastSent && sequence.hasArrived(lastSequence));
    }

    void stop() {
        stopped = true;
        if (waitsForRoom) {
            waitsForRoom = false;
            room.waitsNoMore(turn);
        }
        open = null;
        ready.clear();
    }
}
