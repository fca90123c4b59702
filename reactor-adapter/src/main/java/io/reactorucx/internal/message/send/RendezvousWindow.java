package io.reactorucx.internal.message.send;

import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.internal.frame.MessageFrameCodec;
import io.reactorucx.internal.message.batch.SequenceWindow;
import io.reactorucx.internal.message.context.StreamContext;
import io.reactorucx.transport.frame.FrameBytes;
import io.reactorucx.transport.frame.ReservedMessageIds;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Posts a connection's large messages and limits how many of them wait for the peer to fetch them: each holds a slot
 * of the engine. The connections of the engine take turns, and leave slots to other operations.
 *
 * <p>Thread: engine.
 */
final class RendezvousWindow {

    private static final int MAX_IN_FLIGHT = 256;

    /** The outcome of the attempt to post a message. */
    enum Outcome {
        /** The message was posted, or cannot be sent and has ended its send: the next one follows. */
        TAKEN,
        /** There is no registered memory for the message now; its stream is scheduled when there is. */
        NO_MEMORY,
        /** UCX did not take the message; the scheduler tries again, or has stopped. */
        REFUSED
    }

    private final SendScheduler scheduler;
    private final StreamContext context;
    private final SequenceWindow sequence;
    private final Set<OutboundStream> waiting = new LinkedHashSet<>();
    private final byte[] header = new byte[MessageFrameCodec.LARGE_HEADER_BYTES];
    private final MemorySegment headerSegment = MemorySegment.ofArray(header);
    private final SharedSendWindow shared;
    private final SharedSendWindow.Share ofEngine;
    private int inFlight;

    RendezvousWindow(SendScheduler scheduler, StreamContext context, SequenceWindow sequence,
            SharedSendWindow shared, Runnable whenOpen) {
        this.scheduler = scheduler;
        this.context = context;
        this.sequence = sequence;
        this.shared = shared;
        this.ofEngine = new SharedSendWindow.Share(() -> {
            scheduleWaiting();
            whenOpen.run();
        });
        ofEngine.join(shared);
    }

    /** Returns whether one more message may be posted; if not, the stream is scheduled again when one may. */
    boolean admits(OutboundStream stream) {
        boolean room = inFlight < MAX_IN_FLIGHT;
        if (room && ofEngine.admits()) {
            return true;
        }
        waiting.add(stream);
        if (room) {
            ofEngine.await();
        }
        return false;
    }

    /** Returns whether a stream waits because the connections of the engine have all their messages in flight. */
    boolean isWaitingForEngine(OutboundStream stream) {
        return inFlight < MAX_IN_FLIGHT && waiting.contains(stream);
    }

    /** Returns how many messages the connections of the engine may have in flight together. */
    int engineLimit() {
        return shared.limit();
    }

    /** Offers the next message of a sender to the peer. */
    Outcome post(OutboundStream stream, SendSubscriber<?> sender, Object message) {
        RendezvousSend send = prepare(stream, sender, message);
        if (send == null) {
            return sender.hasBadMessage() ? Outcome.TAKEN : Outcome.NO_MEMORY;
        }
        boolean completed;
        try {
            completed = post(stream.id(), send);
        } catch (UcxException e) {
            send.withdraw();
            scheduler.refused(e);
            return Outcome.REFUSED;
        } catch (IllegalArgumentException | IllegalStateException e) {
            // The application has released the lease, or it is of other resources.
            send.withdraw();
            sender.rejectMessage(e);
            return Outcome.TAKEN;
        }
        stream.rendezvousPosted(sender, sequence.lastTaken(), SendSubscriber.length(message));
        if (completed) {
            send.completed();
        } else {
            inFlight++;
            ofEngine.batchStarted();
        }
        return Outcome.TAKEN;
    }

    private @Nullable RendezvousSend prepare(OutboundStream stream, SendSubscriber<?> sender, Object message) {
        try {
            return RendezvousSend.of(this, stream, sender, message);
        } catch (RuntimeException e) {
            // The message is larger than the pool, or the system has no memory.
            sender.rejectMessage(e);
            return null;
        }
    }

    /** Returns whether UCX has finished with the message already. */
    private boolean post(int stream, RendezvousSend send) {
        MemorySegment message = send.segment();
        int number = sequence.take(0);
        boolean posted = false;
        try {
            MessageFrameCodec.putPreamble(header, scheduler.peerToken(), number, sequence.acknowledge());
            FrameBytes.putInt(header, MessageFrameCodec.PREAMBLE_BYTES, stream);
            boolean completed = context.connection().send(ReservedMessageIds.MESSAGES, headerSegment, message,
                    send.registration(), AmProtocol.RENDEZVOUS, send);
            posted = true;
            return completed;
        } finally {
            if (!posted) {
                sequence.giveBack();
            }
        }
    }

    /** Returns whether the peer has the last message that a sender has offered, and has said so. */
    boolean hasArrived(SendSubscriber<?> sender) {
        return sequence.hasArrived(sender.lastOffer());
    }

    /** UCX has finished with a message that was in flight. Other connections have their turns after the flush. */
    void completed(RendezvousSend send) {
        inFlight--;
        ofEngine.batchCompleted();
        try {
            send.completed();
        } finally {
            scheduleWaiting();
        }
    }

    /** Lets connections that wait post their messages. */
    void admitNext() {
        ofEngine.admitNext();
    }

    private void scheduleWaiting() {
        List<OutboundStream> next = List.copyOf(waiting);
        waiting.clear();
        next.forEach(scheduler::schedule);
    }

    /** No more messages will be posted. */
    void stop() {
        ofEngine.cancelAwait();
        waiting.clear();
    }

    /** The connection has ended. Returns whether other connections wait for its part of the window. */
    boolean leave() {
        return ofEngine.leave();
    }
}
