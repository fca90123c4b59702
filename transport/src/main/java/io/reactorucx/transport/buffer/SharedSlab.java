package io.reactorucx.transport.buffer;

import io.reactorucx.core.shm.SharedPages;
import java.util.BitSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A slab that peers of this host can map. Each connection that lets its peer do so shows it a number beside the slab,
 * which changes when the connection gives up what it has offered: what the peer copied before it saw the change is what
 * was sent.
 *
 * <p>Thread: any.
 */
public final class SharedSlab {

    private final SharedPages pages;
    private final BitSet taken = new BitSet();
    private final Set<Runnable> whenFreed = ConcurrentHashMap.newKeySet();
    private boolean freed;

    SharedSlab(SharedPages pages) {
        this.pages = pages;
    }

    /** Returns the memory, and what a peer needs to map it. */
    public SharedPages pages() {
        return pages;
    }

    /**
     * Returns the index of a word for one connection, which has to {@link #leave} it; -1 when there is none, or the
     * slab is freed.
     *
     * @param action runs when the slab is freed, on any thread
     */
    public synchronized int join(Runnable action) {
        int index = taken.nextClearBit(0);
        if (freed || index >= SharedPages.WORDS) {
            return -1;
        }
        taken.set(index);
        whenFreed.add(action);
        return index;
    }

    /** Gives a word up, which changes it: the peer sees that, and takes nothing more for data of the connection. */
    public synchronized void leave(int index, Runnable action) {
        whenFreed.remove(action);
        if (!freed) {
            pages.word(index, pages.word(index) + 1);
            taken.clear(index);
        }
    }

    /** The memory is about to be freed: no lease of it is left. */
    void freed() {
        synchronized (this) {
            freed = true;
        }
        whenFreed.forEach(Runnable::run);
        whenFreed.clear();
    }
}
