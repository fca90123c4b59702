package io.reactorucx.internal.memory;

import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.UcxClosedException;
import io.reactorucx.core.UcxException;
import io.reactorucx.core.UcxStatus;
import io.reactorucx.internal.concurrent.CoalescedCommand;
import io.reactorucx.internal.connection.ConnectionCore;
import io.reactorucx.internal.frame.MemoryFrame;
import io.reactorucx.internal.frame.ProtocolViolationException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Requests for the peer's memory over one connection: as many under way as the peer serves at once, the others wait,
 * bounded and in order. On the engine's thread.
 */
public final class MemoryClient {

    private final ConnectionCore connection;
    private final int maxQueued;
    private final LinkedHashMap<Integer, ServedOperation<?>> sent = new LinkedHashMap<>();
    private final Deque<ServedOperation<?>> queue = new ArrayDeque<>();
    private final List<FlushOperation> flushes = new ArrayList<>();
    private int maxSent = MemoryFrame.FIRST_REQUESTS;
    private int lastId;
    private long submitted;
    private long fence;
    private final CoalescedCommand retry;
    private boolean over;
    private boolean ending;
    private boolean proceeding;
    private boolean missed;

    MemoryClient(ConnectionCore connection, int maxQueued) {
        this.connection = connection;
        this.maxQueued = maxQueued;
        this.retry = CoalescedCommand.delayed(connection.engine(), this::proceed);
    }

    /** Sends a request, or lets it wait; throws when neither is possible. */
    void submit(ServedOperation<?> operation) {
        if (over) {
            throw new UcxClosedException(operation.kind().ucxName(), connection.peer(), "the connection is closed");
        }
        operation.inTurn(submitted++, fence);
        if (queue.isEmpty() && mayBeSent(operation)) {
            send(operation);
        } else if (queue.size() < maxQueued) {
            queue.add(operation);
        } else {
            throw new UcxException(UcxStatus.EXCEEDS_LIMIT, operation.kind().ucxName(), connection.peer(),
                    "the peer serves " + maxSent
                    + " requests at once, and " + maxQueued
                    + " wait already, see ServedMemoryConfig.maxQueuedRequests");
        }
    }

    private boolean mayBeSent(ServedOperation<?> operation) {
        return sent.size() < maxSent && (sent.isEmpty() || sent.firstEntry().getValue().number() >= operation.fence());
    }

    private void send(ServedOperation<?> operation) {
        do {
            lastId++;
        } while (sent.containsKey(lastId));
        operation.send(lastId);
        sent.put(lastId, operation);
    }

    /** Takes a reply. Throws {@link ProtocolViolationException} if it does not fit a request that waits for one. */
    void replied(MemoryFrame.Reply reply, UcpActiveMessage message) {
        ServedOperation<?> operation = sent.get(reply.id());
        if (operation == null || operation.isReplied()) {
            throw new ProtocolViolationException("a reply to request " + reply.id() + ", which waits for none");
        }
        maxSent = reply.maxRequests();
        operation.replied(reply, message);
    }

    /** A request is over: replied to, and UCX has let go of its memory. */
    void over(ServedOperation<?> operation) {
        sent.remove(operation.id(), operation);
    }

    /**
     * Begins what may begin now that a request is over. Those that end here come back here: that is another round's.
     */
    void proceed() {
        missed = true;
        if (ending || proceeding) {
            return;
        }
        proceeding = true;
        try {
            while (missed) {
                missed = false;
                sendQueued();
                endFlushes();
            }
        } finally {
            proceeding = false;
        }
    }

    private void sendQueued() {
        for (ServedOperation<?> next = queue.peek(); next != null && !over && mayBeSent(next); next = queue.peek()) {
            try {
                send(next);
            } catch (RuntimeException e) {
                if (e instanceof UcxException refusal && refusal.status() == UcxStatus.NO_RESOURCE) {
                    // Others use all slots of the engine. It was taken, and goes when there is one.
                    retry.submit();
                    return;
                }
                queue.remove(next);
                next.end(e);
                continue;
            }
            queue.remove(next);
        }
    }

    /** The subscriber has given up. What waits is dropped, what is under way stays until the peer has replied. */
    void giveUp(ServedOperation<?> operation) {
        if (queue.remove(operation)) {
            operation.end(new UcxException(UcxStatus.CANCELED.code(), operation.kind().ucxName(), connection.peer()));
        }
    }

    /** Requests from now on begin when those before are over. */
    public void fence() {
        fence = submitted;
    }

    /** Tells a flush when all requests before it are over; answers whether they are already. */
    public boolean flush(FlushOperation operation) {
        operation.behind(submitted);
        if (isOver(submitted)) {
            return true;
        }
        flushes.add(operation);
        return false;
    }

    private boolean isOver(long number) {
        ServedOperation<?> first = sent.isEmpty() ? queue.peek() : sent.firstEntry().getValue();
        return first == null || first.number() >= number;
    }

    private void endFlushes() {
        if (flushes.isEmpty()) {
            return;
        }
        for (FlushOperation flush : List.copyOf(flushes)) {
            if (isOver(flush.behind()) && flushes.remove(flush)) {
                flush.requestsAreOver();
            }
        }
    }

    boolean isQuiet() {
        return !ending && sent.isEmpty() && queue.isEmpty();
    }

    /** No reply will come. Requests whose memory UCX still has end when it lets go. */
    void ended(@Nullable UcxException loss) {
        over = true;
        // Not quiet meanwhile: the one who closes the endpoint must not be overtaken by the next step of an end in good
        // order.
        ending = true;
        try {
            List<ServedOperation<?>> all = new ArrayList<>(sent.values());
            all.addAll(queue);
            queue.clear();
            for (ServedOperation<?> each : all) {
                each.connectionEnded(loss != null ? loss : new UcxClosedException(each.kind().ucxName(),
                        connection.peer(),
                        "the connection is closed"));
            }
            List.copyOf(flushes).forEach(FlushOperation::requestsAreOver);
            flushes.clear();
        } finally {
            ending = false;
        }
    }
}
