package io.reactorucx.transport.buffer;

import io.reactorucx.core.UcpMemory;
import io.reactorucx.core.UcxArena;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Memory that is mapped and registered at once, and cut into blocks of one size. Thread: holds the pool's lock. */
final class BufferSlab {

    private static final Logger LOG = LoggerFactory.getLogger(BufferSlab.class);

    private final UcxArena arena;
    private final UcpMemory registration;
    private final int sizeClass;
    private final @Nullable SharedSlab shared;
    private final Set<LeakReaper.Watched<?>> watched = new HashSet<>();
    private int leases;

    BufferSlab(UcxArena arena, UcpMemory registration, int sizeClass, @Nullable SharedSlab shared) {
        this.arena = arena;
        this.registration = registration;
        this.sizeClass = sizeClass;
        this.shared = shared;
    }

    /** A part of a slab that is leased as a whole. */
    record Block(MemorySegment memory, long offset, BufferSlab slab) {

        /** Returns the first bytes as a segment that keeps the companion reachable. */
        MemorySegment view(long bytes, Object companion) {
            return slab.registration.view(offset, bytes, companion);
        }
    }

    UcpMemory registration() {
        return registration;
    }

    /** Returns what peers of this host need to map the slab; null when they cannot. */
    @Nullable SharedSlab shared() {
        return shared;
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

    void watch(LeakReaper.Watched<?> tracker) {
        watched.add(tracker);
    }

    /** Ends a tracker. Returns whether it had not ended before. */
    boolean unwatch(LeakReaper.Watched<?> tracker) {
        return watched.remove(tracker);
    }

    boolean isWatched() {
        return !watched.isEmpty();
    }

    /**
     * Frees the memory, unless an operation uses it although all leases were released. Returns whether it is freed.
     * A segment of an ended lease that the application kept throws from then on, and never shows other memory.
     */
    boolean tryFree() {
        // One use is the registration's; another is an operation that was given the memory without the registration.
        int operations = arena.uses() - 1;
        if (operations > 0 && !registration.isClosed()) {
            LOG.error("A slab of {} bytes cannot be freed: {} operations use memory of leases that were released",
                    bytes(), operations);
            return false;
        }
        try {
            registration.close();
        } catch (IllegalStateException e) {
            LOG.error("A slab of {} bytes cannot be freed: {}", bytes(), e.getMessage());
            return false;
        }
        if (shared != null) {
            shared.freed();
        }
        try {
            arena.close();
        } catch (IllegalStateException e) {
            LOG.error("{} bytes stay mapped and are left to the process: a thread or operation still uses a lease that"
                    + " was released: {}", bytes(), e.getMessage());
        }
        return true;
    }
}
