package io.reactorucx.internal.mapped;

import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.transport.command.CoalescedCommand;
import io.reactorucx.transport.connection.ConnectionCore;
import io.reactorucx.transport.frame.ReservedMessageIds;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Queue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the frames of one connection that have to arrive: those for which the engine has no slot wait here and are
 * sent later, in their order. There are at most as many as slabs and offers of the connection.
 *
 * <p>Thread: engine.
 */
final class MappedFrameSender {

    private static final Logger LOG = LoggerFactory.getLogger(MappedFrameSender.class);

    private final ConnectionCore connection;
    private final Queue<MemorySegment> unsent = new ArrayDeque<>();
    private final CoalescedCommand retry;
    private boolean ended;

    MappedFrameSender(ConnectionCore connection) {
        this.connection = connection;
        this.retry = CoalescedCommand.delayed(connection.engine(), this::sendUnsent);
    }

    /** Sends a frame, now or later. It is copied. */
    void send(MemorySegment frame) {
        if (!unsent.isEmpty() || !trySend(frame)) {
            unsent.add(MemorySegment.ofArray(frame.toArray(ValueLayout.JAVA_BYTE)));
            retry.submit();
        }
    }

    private void sendUnsent() {
        while (!unsent.isEmpty() && trySend(unsent.element())) {
            unsent.remove();
        }
        if (unsent.isEmpty()) {
            connection.operationEnded();
        } else {
            retry.submit();
        }
    }

    /** Returns false if the frame can be sent later. What cannot be sent any more is dropped. */
    private boolean trySend(MemorySegment frame) {
        if (ended || !connection.carrier().isUsable()) {
            return true;
        }
        try {
            connection.carrier().send(ReservedMessageIds.MAPPED, frame, MemorySegment.NULL, null, AmProtocol.EAGER,
                    (status, length, tag) -> connection.operationEnded());
            return true;
        } catch (UcxException e) {
            LOG.debug("[{}] a frame for mapped memory was not sent", connection.name(), e);
            return !e.isRetryable();
        }
    }

    /** Returns whether nothing waits. */
    boolean isQuiet() {
        return unsent.isEmpty();
    }

    void ended() {
        ended = true;
        unsent.clear();
    }
}
