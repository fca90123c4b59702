package io.reactorucx.internal.ucp;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.transport.DropReason;
import io.reactorucx.transport.OverflowPolicy;
import io.reactorucx.transport.config.ReceiveQueueConfig;
import io.reactorucx.transport.connection.ConnectionCore;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a framework peer that came before the first receiver of their id. They wait for it, those of all ids
 * together within the limits of one queue. Messages that come after a receiver has left do not wait.
 *
 * <p>Thread: engine.
 */
final class UnclaimedMessages {

    private final ConnectionCore connection;
    private final ReceiveQueueConfig limits;
    private final ActiveMessageQueue waiting;
    private final BitSet hadReceiver = new BitSet();
    private final BitSet overflowed = new BitSet();

    UnclaimedMessages(ConnectionCore connection) {
        this.connection = connection;
        this.limits = connection.config().queue();
        this.waiting = new ActiveMessageQueue(limits);
    }

    /** Returns why a message may not wait, or null if {@link #add} may follow. */
    @Nullable DropReason admit(int id, boolean rendezvous, long length) {
        if (hadReceiver.get(id)) {
            return DropReason.NO_RECEIVER;
        }
        if (overflowed.get(id)) {
            return limits.overflow().reason();
        }
        boolean room = waiting.makeRoom(rendezvous, length, oldest -> {
            connection.registry().dropped(limits.overflow().reason());
            oldest.discard();
        });
        if (room) {
            return null;
        }
        if (limits.overflow() == OverflowPolicy.ERROR) {
            overflowed.set(id);
        }
        return limits.overflow().reason();
    }

    void add(ReceivedMessage message) {
        waiting.add(message);
    }

    /**
     * Moves what waits for an id to the queue of its receiver. Returns the error with which the receiver ends after
     * that, because messages were dropped, or null.
     */
    @Nullable UcxException claim(int id, ActiveMessageQueue receiver) {
        hadReceiver.set(id);
        waiting.moveTo(receiver, id);
        if (!overflowed.get(id)) {
            return null;
        }
        overflowed.clear(id);
        return new UcxException(UcxStatus.EXCEEDS_LIMIT, "receive of active message " + id, connection.peer(),
                "more messages came before the receiver than may wait, at most " + limits.maxMessages() + " and "
                + limits.maxBytes() + " bytes");
    }

    /** Gives up what UCX or its sender holds, since the connection closes; the rest can be claimed until it has. */
    void dropOffers() {
        for (ReceivedMessage message : waiting.removeOffers()) {
            drop(message);
        }
    }

    /** Nobody will receive what waits: it is dropped and counted, and the senders of offers are told. */
    void drop() {
        for (ReceivedMessage message = waiting.poll(); message != null; message = waiting.poll()) {
            drop(message);
        }
    }

    private void drop(ReceivedMessage message) {
        connection.registry().dropped(DropReason.NO_RECEIVER);
        message.refuse();
    }
}
