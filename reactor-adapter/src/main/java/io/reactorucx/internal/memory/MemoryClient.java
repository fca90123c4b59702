package io.reactorucx.internal.memory;

import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.internal.counter.ProtocolCounters;
import io.reactorucx.internal.frame.MemoryFrame;
import io.reactorucx.transport.command.CoalescedCommand;
import io.reactorucx.transport.connection.ConnectionCore;
import io.reactorucx.transport.frame.ProtocolViolationException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests for the peer's memory over one connection. As many are in flight as the peer serves at once; the
 * others are queued, bounded and in order. Thread: engine.
 */
public final class MemoryClient {

    private final ConnectionCore connection;
    private final ProtocolCounters counts;
    private final int maxQueued;
    private final LinkedHashMap<Integer, ServedOperation<?>> sent = new LinkedHashMap<>();
    private final Deque<ServedOperation<?>> queue = new ArrayDeque<>();
    private final List<Flush> flushes = new ArrayList<>();
    private int maxSent = MemoryFrame.FIRST_REQUESTS;
    private int lastId;
    private long submitted;
    private long fence;
    private final CoalescedCommand retry;
    private boolean closed;
    private boolean ending;
    private boolean proceeding;
    private boolean missed;

    MemoryClient(ConnectionCore connection, ProtocolCounters counts, int maxQueued) {
        this.connection = connection;
        this.counts = counts;
        this.maxQueued = maxQueued;
        this.retry = CoalescedCommand.delayed(connection.engine(), this::proceed);
    }

    ProtocolCounters counts() {
        return counts;
    }

    /** Sends a request, or queues it. Throws when the connection is closed or the queue is full. */
    void submit(ServedOperation<?> operation) {
        if (closed) {
            throw new UcxClosedException(operation.kind().ucxName(), connection.peer(), "the connection is closed");
        }
        operation.submitted(submitted++, fence);
        if (queue.isEmpty() && mayBeSent(operation)) {
            send(operation);
        } else if (queue.size() < maxQueued) {
            queue.add(operation);
        } else {
            throw new UcxException(UcxStatus.EXCEEDS_LIMIT, operation.kind().ucxName(), connection.peer(),
                    "the peer serves " + maxSent + " requests at once, and " + maxQueued
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

    /** Removes a request that has ended. */
    void ended(ServedOperation<?> operation) {
        sent.remove(operation.id(), operation);
    }

    /**
     * Sends queued requests and ends flushes after a request has ended. A request that ends within re-enters: the loop
     * goes round once more.
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
        for (ServedOperation<?> next = queue.peek(); next != null && !closed && mayBeSent(next); next = queue.peek()) {
            try {
                send(next);
            } catch (RuntimeException e) {
                if (e instanceof UcxException refusal && refusal.status() == UcxStatus.NO_RESOURCE) {
                    // All slots of the engine are in use. The request was accepted, and is sent when one is free.
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

    /** Drops a queued request whose subscriber has cancelled. A request in flight stays until the peer has replied. */
    void cancel(ServedOperation<?> operation) {
        if (queue.remove(operation)) {
            operation.end(new UcxException(UcxStatus.CANCELED.code(), operation.kind().ucxName(), connection.peer()));
        }
    }

    /** Holds later requests back until all earlier ones have ended. */
    public void fence() {
        fence = submitted;
    }

    /** Calls a flush when all earlier requests have ended. Returns whether they have already. */
    boolean flush(Runnable whenEnded) {
        if (isOver(submitted)) {
            return true;
        }
        flushes.add(new Flush(submitted, whenEnded));
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
        for (Flush flush : List.copyOf(flushes)) {
            if (isOver(flush.boundary()) && flushes.remove(flush)) {
                flush.whenEnded().run();
            }
        }
    }

    boolean isQuiet() {
        return !ending && sent.isEmpty() && queue.isEmpty();
    }

    /** The endpoint closes: requests fail, at the latest when UCX has completed their transfers. */
    void ended(@Nullable UcxException loss) {
        closed = true;
        // Not quiet meanwhile, so that ending requests do not start the next step of a graceful close.
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
            List.copyOf(flushes).forEach(flush -> flush.whenEnded().run());
            flushes.clear();
        } finally {
            ending = false;
        }
    }

    /** A flush that waits for the requests with smaller numbers. */
    private record Flush(long boundary, Runnable whenEnded) {
    }
}
