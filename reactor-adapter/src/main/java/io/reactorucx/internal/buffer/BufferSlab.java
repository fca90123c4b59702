package io.reactorucx.internal.buffer;

import io.reactorucx.core.UcpMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Memory that is mapped and registered at once, and cut into blocks of one size. Under the lock of its pool. */
public final class BufferSlab {

    private static final Logger LOG = LoggerFactory.getLogger(BufferSlab.class);

    private final Arena arena;
    private final UcpMemory registration;
    private final int sizeClass;
    private final Set<LeakTracker> watched = new HashSet<>();
    private int leases;

    BufferSlab(Arena arena, UcpMemory registration, int sizeClass) {
        this.arena = arena;
        this.registration = registration;
        this.sizeClass = sizeClass;
    }

    /** A piece of a slab that is leased as a whole. */
    public record Block(MemorySegment memory, long offset, BufferSlab slab) {

        /** The first bytes; as long as they can be reached, the companion can. */
        public MemorySegment view(long bytes, Object companion) {
            return slab.registration.view(offset, bytes, companion);
        }
    }

    UcpMemory registration() {
        return registration;
    }

    int sizeClass() {
        return sizeClass;
    }

    long bytes() {
        return registration.segment().byteSize();
    }

    void leased() {
        leases++;
    }

    void released() {
        leases--;
    }

    boolean isIdle() {
        return leases == 0;
    }

    public void watch(LeakTracker lease) {
        watched.add(lease);
    }

    /** A lease has ended; answers whether it had not before. */
    public boolean unwatch(LeakTracker lease) {
        return watched.remove(lease);
    }

    boolean isWatched() {
        return !watched.isEmpty();
    }

    /**
     * Gives the memory back, unless it is in use although all leases were released; answers whether it did. Whoever
     * kept a segment of a lease that ended gets an exception from it then, and no foreign memory.
     */
    boolean tryFree() {
        try {
            registration.close();
        } catch (IllegalStateException e) {
            LOG.error("A slab of {} bytes cannot be freed: {}", bytes(), e.getMessage());
            return false;
        }
        try {
            arena.close();
        } catch (IllegalStateException e) {
            LOG.error("{} bytes stay mapped: a thread is at work on a lease that was released", bytes(), e);
        }
        return true;
    }
}
