package io.reactorucx.netty.buffer;

import io.netty.buffer.ByteBuf;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Memory of Netty's direct buffers, for UCX. A JVM without native access for Netty has buffers in arenas that Netty
 * closes when their last reference is released; core refuses such memory, because it cannot know. Here a reference is
 * held until UCX has finished, as it is for all other buffers.
 */
public final class BufferMemory {

    private static final Class<?> CLOSEABLE = closeableScope();

    private BufferMemory() {
    }

    private static Class<?> closeableScope() {
        try (Arena arena = Arena.ofShared()) {
            return arena.scope().getClass();
        }
    }

    /** Returns bytes of a buffer, which the caller keeps referenced until UCX has finished with them. */
    public static MemorySegment of(ByteBuf buffer, int index, int length) {
        MemorySegment memory = MemorySegment.ofBuffer(buffer.nioBuffer(index, length));
        // Leased memory lies in an arena that core knows.
        if (memory.scope().getClass() != CLOSEABLE || LeasedByteBuf.of(buffer) != null) {
            return memory;
        }
        return MemorySegment.ofAddress(memory.address()).reinterpret(length);
    }
}
