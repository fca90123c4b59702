package io.reactorucx.netty.buffer;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.transport.buffer.BufferPool;
import io.reactorucx.transport.buffer.Lease;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The buffers of one loop: for small data that UCX copies within the call, and for data that peers of this host read
 * where it lies.
 *
 * <p>Thread: loop.
 */
public final class LoopBuffers {

    private static final Logger LOG = LoggerFactory.getLogger(LoopBuffers.class);
    /** So much data goes with a header in a slot of the engine. */
    private static final int SCRATCH_BYTES = 96;

    private final BufferPool pool;
    private final MemorySegment scratchMemory = Arena.ofAuto().allocate(SCRATCH_BYTES);
    private final ByteBuf scratch = Unpooled.wrappedBuffer(scratchMemory.asByteBuffer());

    public LoopBuffers(BufferPool pool) {
        this.pool = pool;
    }

    /** Returns a buffer for data of a size that is copied within the call, null for more. */
    public @Nullable ByteBuf scratch(int length) {
        return length > SCRATCH_BYTES ? null : scratch.clear();
    }

    /** Returns the first bytes of the buffer of small data. */
    public MemorySegment scratchSegment(int length) {
        return scratchMemory.asSlice(0, length);
    }

    /** Returns leased memory of a length, null if the pool has none. */
    public @Nullable Lease tryLease(int length) {
        try {
            return pool.acquire(length);
        } catch (UcxException | IllegalStateException e) {
            LOG.debug("no leased memory for {} bytes", length, e);
            return null;
        }
    }

    /**
     * Returns memory for data of a peer that both processes see: leased, so that it may be sent on without a copy, as
     * long as half of the pool is left to what is sent.
     */
    public ByteBuf forShared(int length, ByteBufAllocator allocator) {
        Lease lease = pool.leasedBytes() + length <= pool.maxBytes() / 2 ? tryLease(length) : null;
        return lease == null ? allocator.directBuffer(length, length) : LeasedByteBuf.take(allocator, lease, length);
    }
}
