package io.reactorucx.core.internal.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Parts of registered memory with an arena of their own, which keeps a companion object reachable and is closed before
 * the memory ends.
 */
public final class MemoryViews {

    private final Set<Reference<? extends Arena>> arenas = ConcurrentHashMap.newKeySet();
    private final ReferenceQueue<Arena> unreachable = new ReferenceQueue<>();

    public MemorySegment add(MemorySegment part, Object companion) {
        for (Reference<? extends Arena> gone = unreachable.poll(); gone != null; gone = unreachable.poll()) {
            arenas.remove(gone);
        }
        Arena arena = Arena.ofShared();
        arenas.add(new WeakReference<>(arena, unreachable));
        // The arena references its cleanup action, and thereby both objects; a segment references its arena's state.
        return part.reinterpret(arena, ending -> {
            Reference.reachabilityFence(arena);
            Reference.reachabilityFence(companion);
        });
    }

    /** Closes all views. Throws {@link IllegalStateException} while another thread accesses one. */
    public void close() {
        for (Reference<? extends Arena> each : arenas) {
            Arena arena = each.get();
            if (arena != null && arena.scope().isAlive()) {
                arena.close();
            }
        }
    }
}
