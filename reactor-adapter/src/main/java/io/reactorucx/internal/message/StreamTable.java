package io.reactorucx.internal.message;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The open streams of a connection, by the ids that frames of this side use: an open-addressed table.
 *
 * <p>Thread: engine.
 */
final class StreamTable {

    private static final int INITIAL_SLOTS = 16;

    private @Nullable MultiplexedStream[] slots = new MultiplexedStream[INITIAL_SLOTS];
    private int size;

    private int slot(int id) {
        int slot = (id * 0x9E3779B9 >>> 7) & slots.length - 1;
        for (MultiplexedStream there = slots[slot]; there != null && there.id() != id; there = slots[slot]) {
            slot = slot + 1 & slots.length - 1;
        }
        return slot;
    }

    @Nullable MultiplexedStream get(int id) {
        return slots[slot(id)];
    }

    void add(MultiplexedStream stream) {
        if (2 * (size + 1) > slots.length) {
            rehash(2 * slots.length);
        }
        slots[slot(stream.id())] = stream;
        size++;
    }

    /** Puts a stream in the place of the open one that has the same id. */
    void replace(MultiplexedStream stream) {
        slots[slot(stream.id())] = stream;
    }

    void remove(MultiplexedStream stream) {
        int hole = slot(stream.id());
        if (slots[hole] != stream) {
            return;
        }
        slots[hole] = null;
        size--;
        // Streams behind the removed one may belong to its place.
        int next = hole + 1 & slots.length - 1;
        for (MultiplexedStream there = slots[next]; there != null; there = slots[next]) {
            slots[next] = null;
            slots[slot(there.id())] = there;
            next = next + 1 & slots.length - 1;
        }
    }

    private void rehash(int count) {
        @Nullable MultiplexedStream[] before = slots;
        slots = new MultiplexedStream[count];
        for (MultiplexedStream stream : before) {
            if (stream != null) {
                slots[slot(stream.id())] = stream;
            }
        }
    }

    boolean allMatch(Predicate<MultiplexedStream> condition) {
        for (MultiplexedStream stream : slots) {
            if (stream != null && !condition.test(stream)) {
                return false;
            }
        }
        return true;
    }

    /** Calls the action for each stream; the action may remove any of them. */
    void forEach(Consumer<MultiplexedStream> action) {
        List<MultiplexedStream> all = new ArrayList<>(size);
        for (MultiplexedStream stream : slots) {
            if (stream != null) {
                all.add(stream);
            }
        }
        all.forEach(action);
    }
}
