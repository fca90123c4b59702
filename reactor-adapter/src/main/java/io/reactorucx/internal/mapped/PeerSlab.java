package io.reactorucx.internal.mapped;

import io.reactorucx.core.shm.SharedPages;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Memory of a peer that is mapped here: by the connections that know it, and the offers that were not taken yet.
 *
 * <p>Thread: engine.
 */
final class PeerSlab {

    private final PeerSlabs slabs;
    private final PeerSlabs.Identity identity;
    private final SharedPages pages;
    private final Arena arena;
    private int uses;

    PeerSlab(PeerSlabs slabs, PeerSlabs.Identity identity, SharedPages pages, Arena arena) {
        this.slabs = slabs;
        this.identity = identity;
        this.pages = pages;
        this.arena = arena;
    }

    PeerSlab use() {
        uses++;
        return this;
    }

    /** Ends a use; the last one unmaps the memory. */
    void endUse() {
        if (--uses == 0) {
            slabs.remove(identity);
            arena.close();
        }
    }

    boolean has(long offset, long length) {
        return offset >= 0 && length >= 0 && offset <= pages.memory().byteSize() - length;
    }

    long word(int index) {
        return pages.word(index);
    }

    MemorySegment memory() {
        return pages.memory();
    }
}
