package io.reactorucx.core.internal.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the pin that keeps memory allocated while UCX uses it beyond a call. Memory of an automatic arena, the global
 * arena or a buffer cannot be freed while it is reachable; memory of this library is pinned; any other that can be
 * freed is refused, because Java offers no way to prevent that. Thread: any.
 */
public final class HeldMemory {

    /** Lets memory of any arena through, which the application then must not close too early. */
    public static final String UNCHECKED_PROPERTY = "io.reactorucx.arenas.unchecked";

    private static final boolean UNCHECKED = Boolean.getBoolean(UNCHECKED_PROPERTY);
    private static final Set<Class<?>> LASTING = lastingScopes();

    private HeldMemory() {
    }

    /**
     * The types of scopes that nobody can close. Java does not say it of a scope, but has a type of scope for each kind
     * of arena. Of a type that is not known here, memory counts as memory that can be freed.
     */
    private static Set<Class<?>> lastingScopes() {
        Set<Class<?>> lasting = new HashSet<>();
        lasting.add(Arena.global().scope().getClass());
        lasting.add(Arena.ofAuto().scope().getClass());
        lasting.add(MemorySegment.ofBuffer(ByteBuffer.allocateDirect(1)).scope().getClass());
        try (Arena shared = Arena.ofShared(); Arena confined = Arena.ofConfined()) {
            lasting.remove(shared.scope().getClass());
            lasting.remove(confined.scope().getClass());
        }
        return Set.copyOf(lasting);
    }

    /**
     * Returns the pin of an operation that uses memory after its call; null when nothing can free the memory while it
     * is reachable.
     */
    public static @Nullable Pinned pinned(MemorySegment memory, String name) {
        Pinned known = PinnableMemory.pinned(memory);
        return known != null || isLasting(memory) ? known : ofArena(memory, ArenaUses.of(memory), name);
    }

    /** As above, for a registration. */
    public static @Nullable Pinned registration(MemorySegment memory, String name) {
        Pinned known = PinnableMemory.pinned(memory);
        if (known != null || isLasting(memory)) {
            return known;
        }
        ArenaUses arena = ArenaUses.of(memory);
        return ofArena(memory, arena == null ? null : arena.registration(), name);
    }

    private static boolean isLasting(MemorySegment memory) {
        return LASTING.contains(memory.scope().getClass()) || memory.byteSize() == 0;
    }

    private static @Nullable Pinned ofArena(MemorySegment memory, @Nullable Pinned arena, String name) {
        if (arena != null) {
            return arena;
        }
        // Part of registered memory with an arena of its own.
        Pinned registered = PinnableMemory.registered(memory);
        if (registered == null && !UNCHECKED) {
            throw new IllegalArgumentException(name + ": " + memory.byteSize() + " bytes of an arena that could be"
                    + " closed while UCX uses them; use a UcxArena, a lease of a buffer pool or Arena.ofAuto()");
        }
        return registered;
    }
}
