package io.reactorucx.core;

import io.reactorucx.core.internal.memory.ArenaUses;
import io.reactorucx.core.internal.memory.HeldMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/**
 * An arena whose memory UCX may use beyond a call: it counts the operations and registrations that use its memory, and
 * is not closed while there are any. It serves wherever an {@link Arena} does, as for {@code FileChannel.map}.
 *
 * <p>A registration and an operation take memory of a {@code UcxArena}, of a lease, of {@link Arena#ofAuto()} or of
 * {@link Arena#global()}, unless it is a send that is copied ({@link UcpEndpoint#MAX_COPIED_BYTES}). Memory of {@link
 * Arena#ofShared()} and {@link Arena#ofConfined()} is refused there, because Java has no way to keep such an arena from
 * being closed while UCX reads or writes its memory. The system property {@code io.reactorucx.arenas.unchecked=true}
 * lets it through: then a close at the wrong moment ends the process or corrupts its memory.
 *
 * <p><b>Threading:</b> any thread, as for {@link Arena#ofShared()}. <b>Ownership:</b> memory is freed by {@link
 * #close()} or {@link #closeAsync()}, and never without them. An operation uses the memory until UCX has completed it,
 * which may be later than its cancellation; a registration until it is closed. <b>Errors:</b> {@link
 * IllegalStateException} from {@link #close()} while the memory is in use.
 */
public final class UcxArena implements Arena {

    private final ArenaUses uses = ArenaUses.open();

    private UcxArena() {
    }

    /** {@return a new arena, whose memory any thread may use} */
    public static UcxArena ofShared() {
        return new UcxArena();
    }

    /**
     * Refuses memory that could be freed while UCX uses it.
     *
     * @param segment the memory
     * @param name what the exception calls it
     * @return the memory
     * @throws IllegalArgumentException for memory of an arena that somebody can close, and is no {@code UcxArena}
     */
    public static MemorySegment requireHeld(MemorySegment segment, String name) {
        HeldMemory.pinned(Objects.requireNonNull(segment, Objects.requireNonNull(name, "name")), name);
        return segment;
    }

    @Override
    public MemorySegment allocate(long byteSize, long byteAlignment) {
        return uses.allocate(byteSize, byteAlignment);
    }

    @Override
    public MemorySegment.Scope scope() {
        return uses.scope();
    }

    /** {@return number of operations in flight and of registrations that use the memory} */
    public int uses() {
        return uses.count();
    }

    /**
     * Frees the memory.
     *
     * @throws IllegalStateException with their number while operations or registrations use the memory, or while
     *     another thread reads or writes it; the arena is open then. Also when it is closed
     */
    @Override
    public void close() {
        uses.close();
    }

    /**
     * Frees the memory as soon as no operation and no registration uses it. From now on nothing can begin to use it.
     *
     * @return completes when the memory is freed; fails with {@link IllegalStateException} when another thread reads or
     *     writes the memory at that moment (the arena is open again), when an operation of an abandoned worker uses it
     *     for ever, or when the arena is closed. To end the wait does not end the operations
     */
    public CompletableFuture<Void> closeAsync() {
        return uses.closeAsync();
    }
}
