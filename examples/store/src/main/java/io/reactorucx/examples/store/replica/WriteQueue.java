package io.reactorucx.examples.store.replica;

import io.reactorucx.examples.store.wire.Change;
import io.reactorucx.examples.store.wire.Reply;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** The writes of a primary that its backup does not have yet, in their order. Thread: that of the pair's lock. */
final class WriteQueue {

    private final ReplicaLimits limits;
    private final Deque<Entry> entries = new ArrayDeque<>();
    private long bytes;

    WriteQueue(ReplicaLimits limits) {
        this.limits = limits;
    }

    /** A write and who waits for its reply. */
    private record Entry(Change change, Sinks.One<Reply> reply) {
    }

    boolean isEmpty() {
        return entries.isEmpty();
    }

    boolean hasRoomFor(int more) {
        return entries.size() < limits.maxPending() && bytes + more <= limits.maxPendingBytes();
    }

    Mono<Reply> add(Change change) {
        Sinks.One<Reply> reply = Sinks.one();
        entries.add(new Entry(change, reply));
        bytes += change.bytes();
        return reply.asMono();
    }

    /** Returns the first writes, as many as a batch may have. */
    List<Change> head() {
        List<Change> head = new ArrayList<>();
        long size = 0;
        for (Entry entry : entries) {
            size += entry.change().bytes();
            if (!head.isEmpty() && (size > limits.batchBytes() || head.size() == limits.batchChanges())) {
                break;
            }
            head.add(entry.change());
        }
        return head;
    }

    @Nullable Change first() {
        Entry entry = entries.peek();
        return entry == null ? null : entry.change();
    }

    /** Removes the first write. Returns what tells its client the reply, to be run without the lock. */
    Runnable removeFirst(Reply reply) {
        Entry entry = entries.remove();
        bytes -= entry.change().bytes();
        return () -> entry.reply().tryEmitValue(reply);
    }
}
