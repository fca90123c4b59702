package io.reactorucx;

import io.reactorucx.core.UcpContext;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.core.UcxException;
import io.reactorucx.core.UcxStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Registered native memory in blocks of a power of two, leased as {@link UcxBuffer}.
 *
 * <p>Memory comes in slabs, each mapped and registered once and kept until the pool closes or needs the room for blocks of another size.
 * A block that is larger than a slab is a slab of its own.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> leases go back before the pool closes. <b>Errors:</b> past its limit
 * {@link UcxStatus#EXCEEDS_LIMIT}, which is retryable.
 */
public final class UcxBufferPool {

    /** Smallest block in bytes. */
    public static final long MIN_BLOCK_BYTES = 4096;

    private static final Logger LOG = LoggerFactory.getLogger(UcxBufferPool.class);
    private static final long SLAB_BYTES = 4L << 20;
    private static final long PAGE_BYTES = 4096;

    private final UcpContext context;
    private final long maxBytes;
    private final ReentrantLock lock = new ReentrantLock();
    private final List<Deque<Block>> free = new ArrayList<>();
    private final List<Slab> slabs = new ArrayList<>();
    private long slabBytes;
    private long leasedBytes;
    private int leases;
    private boolean closed;
    private @Nullable Runnable afterLast;

    UcxBufferPool(UcpContext context, long maxBytes) {
        this.context = context;
        this.maxBytes = checkMaxBytes(maxBytes);
        for (int i = 0; i < Long.SIZE; i++) {
            free.add(new ArrayDeque<>());
        }
    }

    static long checkMaxBytes(long bytes) {
        if (bytes < SLAB_BYTES) {
            throw new IllegalArgumentException("maxBufferBytes " + bytes + ": at least one slab, " + SLAB_BYTES);
        }
        return bytes;
    }

    /** A piece of a slab that is leased as a whole. */
    record Block(MemorySegment memory, Slab slab) {
    }

    /** Memory that is mapped and registered at once, and cut into blocks of one size. */
    static final class Slab {

        private final Arena arena;
        private final UcpMemory registration;
        private final int sizeClass;
        private int leases;

        Slab(Arena arena, UcpMemory registration, int sizeClass) {
            this.arena = arena;
            this.registration = registration;
            this.sizeClass = sizeClass;
        }

        UcpMemory registration() {
            return registration;
        }

        void free() {
            registration.close();
            arena.close();
        }
    }

    /**
     * Leases memory; its contents are whatever was there.
     *
     * @param bytes size, may be 0
     * @return the lease, with one reference
     */
    public UcxBuffer acquire(long bytes) {
        if (bytes < 0 || bytes > maxBytes) {
            throw new IllegalArgumentException("bytes " + bytes + ": must be in 0.." + maxBytes + ", the limit of the pool");
        }
        if (Long.highestOneBit(Math.max(bytes, MIN_BLOCK_BYTES) * 2 - 1) > maxBytes) {
            throw new IllegalArgumentException("bytes " + bytes + ": the block of the next power of two exceeds the pool's " + maxBytes);
        }
        int sizeClass = Long.SIZE - Long.numberOfLeadingZeros(Math.max(bytes, MIN_BLOCK_BYTES) - 1);
        lock.lock();
        try {
            if (closed) {
                throw new IllegalStateException("buffer pool: it is closed");
            }
            Block block = free.get(sizeClass).poll();
            if (block == null) {
                addSlab(sizeClass);
                block = free.get(sizeClass).remove();
            }
            leasedBytes += block.memory().byteSize();
            leases++;
            block.slab().leases++;
            return new UcxBuffer(new Lease(this, block), block.memory().asSlice(0, bytes));
        } finally {
            lock.unlock();
        }
    }

    /**
     * Leases memory for a copy of some bytes.
     *
     * @param bytes the bytes
     * @return the lease, as long as they are, with one reference
     */
    public UcxBuffer copyOf(byte[] bytes) {
        UcxBuffer buffer = acquire(Objects.requireNonNull(bytes, "bytes").length);
        buffer.segment().copyFrom(MemorySegment.ofArray(bytes));
        return buffer;
    }

    private void addSlab(int sizeClass) {
        long blockBytes = 1L << sizeClass;
        long bytes = Math.max(blockBytes, SLAB_BYTES);
        if (slabBytes + bytes > maxBytes) {
            freeIdleSlabs();
        }
        if (slabBytes + bytes > maxBytes) {
            throw new UcxException(UcxStatus.EXCEEDS_LIMIT, "acquire of " + blockBytes + " bytes", null,
                    leasedBytes + " bytes of the pool's " + maxBytes + " are leased, " + slabBytes + " are in slabs");
        }
        Arena arena = Arena.ofShared();
        try {
            MemorySegment memory = arena.allocate(bytes, PAGE_BYTES);
            Slab slab = new Slab(arena, context.register(memory), sizeClass);
            slabs.add(slab);
            slabBytes += bytes;
            for (long offset = 0; offset < bytes; offset += blockBytes) {
                free.get(sizeClass).add(new Block(memory.asSlice(offset, blockBytes), slab));
            }
        } catch (RuntimeException e) {
            arena.close();
            throw e;
        }
    }

    /** Makes room for blocks of another size. */
    private void freeIdleSlabs() {
        for (Slab slab : List.copyOf(slabs)) {
            if (slab.leases == 0) {
                slabs.remove(slab);
                free.get(slab.sizeClass).removeIf(block -> block.slab() == slab);
                slabBytes -= slab.registration.segment().byteSize();
                slab.free();
            }
        }
    }

    void release(Block block) {
        Runnable whenEmpty = null;
        lock.lock();
        try {
            leasedBytes -= block.memory().byteSize();
            leases--;
            block.slab().leases--;
            free.get(block.slab().sizeClass).push(block);
            if (leases == 0 && afterLast != null) {
                whenEmpty = afterLast;
                freeIdleSlabs();
            }
        } finally {
            lock.unlock();
        }
        if (whenEmpty != null) {
            whenEmpty.run();
        }
    }

    /** {@return bytes in leased blocks} */
    public long leasedBytes() {
        lock.lock();
        try {
            return leasedBytes;
        } finally {
            lock.unlock();
        }
    }

    /** {@return leases that are out; one and all its slices count once} */
    public int leases() {
        lock.lock();
        try {
            return leases;
        } finally {
            lock.unlock();
        }
    }

    /** {@return bytes in slabs, leased or not} */
    public long slabBytes() {
        lock.lock();
        try {
            return slabBytes;
        } finally {
            lock.unlock();
        }
    }

    /** {@return most bytes that may be in slabs} */
    public long maxBytes() {
        return maxBytes;
    }

    /** Ends the pool; its memory goes with the last lease, and then the action is run. */
    void close(Runnable whenEmpty) {
        lock.lock();
        try {
            if (leases > 0) {
                LOG.error("Buffer pool closed with {} leases of {} bytes still out", leases, leasedBytes);
                afterLast = whenEmpty;
                closed = true;
                return;
            }
            closed = true;
            freeIdleSlabs();
        } finally {
            lock.unlock();
        }
        whenEmpty.run();
    }
}
