package io.reactorucx.core.internal;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Parts of registered memory that have an arena of their own: it keeps something reachable, and is closed before the memory ends. */
public final class MemoryViews {

    private final Set<Reference<? extends Arena>> arenas = ConcurrentHashMap.newKeySet();
    private final ReferenceQueue<Arena> unreachable = new ReferenceQueue<>();

    public MemorySegment add(MemorySegment part, Object companion) {
        for (Reference<? extends Arena> gone = unreachable.poll(); gone != null; gone = unreachable.poll()) {
            arenas.remove(gone);
        }
        Arena arena = Arena.ofShared();
        arenas.add(new WeakReference<>(arena, unreachable));
        // An arena keeps what it is to do at its end, and with that both of them; a segment keeps its arena's state.
        return part.reinterpret(arena, ending -> {
            Reference.reachabilityFence(arena);
            Reference.reachabilityFence(companion);
        });
    }

    /** Ends them; {@link IllegalStateException} when some thread is at work on one at this moment. */
    public void close() {
        for (Reference<? extends Arena> each : arenas) {
            Arena arena = each.get();
            if (arena != null && arena.scope().isAlive()) {
                arena.close();
            }
        }
    }
}
