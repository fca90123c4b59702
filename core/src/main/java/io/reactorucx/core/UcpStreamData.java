package io.reactorucx.core;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Bytes of a stream that UCX has lent.
 *
 * <p><b>Threading:</b> the thread of the endpoint's worker, reading included. <b>Ownership:</b> {@link #close()} gives
 * it back; the close of its endpoint does that, too. <b>Errors:</b> the segment is not accessible any more after that,
 * {@link IllegalStateException}.
 */
public final class UcpStreamData implements AutoCloseable {

    private final UcpStream stream;
    private final MemorySegment handle;
    private final Arena arena;
    private final MemorySegment segment;

    UcpStreamData(UcpStream stream, MemorySegment handle, long length, Arena arena) {
        this.stream = stream;
        this.arena = arena;
        this.handle = handle;
        this.segment = handle.reinterpret(length, arena, null).asReadOnly();
    }

    /** {@return the bytes, read-only, until this is closed} */
    public MemorySegment segment() {
        return segment;
    }

    @Override
    public void close() {
        if (arena.scope().isAlive()) {
            stream.checkThread();
            arena.close();
            stream.giveBack(this, handle);
        }
    }
}
