package io.reactorucx.netty.buffer;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.reactorucx.core.PlacedData;
import java.lang.foreign.MemorySegment;

/**
 * Data of a stream that UCX's upcall has copied to the buffer that its channel will read.
 *
 * <p>Thread: loop.
 */
public final class PlacedBuffer implements PlacedData {

    private final ByteBuf buffer;
    private final int length;

    public PlacedBuffer(ByteBufAllocator allocator, int length) {
        this.buffer = allocator.directBuffer(length, length);
        this.length = length;
    }

    @Override
    public MemorySegment memory() {
        return BufferMemory.of(buffer, 0, length);
    }

    /** Returns the buffer with the data. The caller has taken it. */
    public ByteBuf buffer() {
        return buffer.writerIndex(length);
    }

    @Override
    public void copyTo(MemorySegment destination) {
        try {
            destination.copyFrom(memory());
        } finally {
            release();
        }
    }

    @Override
    public void release() {
        buffer.release();
    }
}
