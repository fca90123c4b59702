package io.reactorucx.core.internal.memory;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Memory that UCX unmaps when something is closed: what it allocated, and the pointers of remote keys. Operations of
 * any context may use such memory and have to pin it meanwhile. Every operation searches the list, which is nearly
 * always empty or short.
 *
 * <p>Registered memory of the application is found, too, for operations on a part of it that has another lifetime.
 * Thread: any.
 */
public final class PinnableMemory {

    private static final List<PinnableMemory> MAPPED = new CopyOnWriteArrayList<>();
    private static final Set<PinnableMemory> REGISTERED = ConcurrentHashMap.newKeySet();

    private final MemorySegment segment;
    private final Pinned pinned;

    private PinnableMemory(MemorySegment segment, Pinned pinned) {
        this.segment = segment;
        this.pinned = pinned;
    }

    public static PinnableMemory add(MemorySegment segment, Pinned pinned) {
        PinnableMemory memory = new PinnableMemory(segment, pinned);
        MAPPED.add(memory);
        return memory;
    }

    /** Adds registered memory of the application. */
    public static PinnableMemory addRegistered(MemorySegment segment, Pinned pinned) {
        PinnableMemory memory = new PinnableMemory(segment, pinned);
        REGISTERED.add(memory);
        return memory;
    }

    /** To be called before the memory is unmapped: afterwards other memory may have its addresses. */
    public void remove() {
        MAPPED.remove(this);
        REGISTERED.remove(this);
    }

    /** Returns the pin of an operation on a segment; null for memory of the application. */
    public static @Nullable Pinned pinned(MemorySegment local) {
        for (PinnableMemory memory : MAPPED) {
            if (contains(memory.segment, local.address(), local.byteSize())) {
                return memory.pinned;
            }
        }
        return null;
    }

    /** The registration of the application's memory that a segment is part of; null where there is none. */
    public static @Nullable Pinned registered(MemorySegment local) {
        return registered(local.address(), local.byteSize());
    }

    /** As above, by address. */
    public static @Nullable Pinned registered(long address, long bytes) {
        for (PinnableMemory memory : REGISTERED) {
            if (contains(memory.segment, address, bytes)) {
                return memory.pinned;
            }
        }
        return null;
    }

    /** The part of such memory at an address, with its lifetime; null where there is none. */
    public static @Nullable MemorySegment at(long address, long bytes) {
        for (PinnableMemory memory : MAPPED) {
            if (contains(memory.segment, address, bytes)) {
                return memory.segment.asSlice(address - memory.segment.address(), bytes);
            }
        }
        return null;
    }

    public static boolean contains(MemorySegment segment, long address, long bytes) {
        long offset = address - segment.address();
        return offset >= 0 && offset <= segment.byteSize() - bytes;
    }
}
