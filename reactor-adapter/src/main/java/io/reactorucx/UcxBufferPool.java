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
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Registered native memory in blocks of a power of two, leased as {@link UcxBuffer}.
 *
 * <p>Memory comes in slabs, each mapped and registered once and kept until the pool closes. A block that is larger than a slab is a slab
 * of its own.
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

    UcxBufferPool(UcpContext context, long maxBytes) {
        if (maxBytes < SLAB_BYTES) {
            throw new IllegalArgumentException("maxBytes " + maxBytes + ": at least one slab, " + SLAB_BYTES);
        }
        this.context = context;
        this.maxBytes = maxBytes;
        for (int i = 0; i < Long.SIZE; i++) {
            free.add(new ArrayDeque<>());
        }
    }

    record Block(MemorySegment memory, UcpMemory registration, int sizeClass) {
    }

    private record Slab(Arena arena, UcpMemory registration) {
    }

    /**
     * Leases memory; its contents are whatever was there.
     *
     * @param bytes size, at least 1
     * @return the lease, with one reference
     */
    public UcxBuffer acquire(long bytes) {
        if (bytes < 1 || bytes > maxBytes) {
            throw new IllegalArgumentException("bytes " + bytes + ": must be in 1.." + maxBytes + ", the limit of the pool");
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
            return new UcxBuffer(this, block, bytes);
        } finally {
            lock.unlock();
        }
    }

    private void addSlab(int sizeClass) {
        long blockBytes = 1L << sizeClass;
        long bytes = Math.max(blockBytes, SLAB_BYTES);
        if (slabBytes + bytes > maxBytes) {
            throw new UcxException(UcxStatus.EXCEEDS_LIMIT, "acquire of " + blockBytes + " bytes", null,
                    leasedBytes + " bytes of the pool's " + maxBytes + " are leased, " + slabBytes + " are in slabs");
        }
        Arena arena = Arena.ofShared();
        MemorySegment memory = arena.allocate(bytes, PAGE_BYTES);
        UcpMemory registration = context.register(memory);
        slabs.add(new Slab(arena, registration));
        slabBytes += bytes;
        for (long offset = 0; offset < bytes; offset += blockBytes) {
            free.get(sizeClass).add(new Block(memory.asSlice(offset, blockBytes), registration, sizeClass));
        }
    }

    void release(Block block) {
        lock.lock();
        try {
            leasedBytes -= block.memory().byteSize();
            leases--;
            free.get(block.sizeClass()).push(block);
            if (closed && leases == 0) {
                freeSlabs();
            }
        } finally {
            lock.unlock();
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

    /** {@return leases that are out} */
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

    /** Ends the pool; the memory goes with the last lease. Answers whether it has gone. */
    boolean close() {
        lock.lock();
        try {
            closed = true;
            if (leases > 0) {
                LOG.error("Buffer pool closed with {} leases of {} bytes still out", leases, leasedBytes);
                return false;
            }
            freeSlabs();
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void freeSlabs() {
        for (Slab slab : slabs) {
            slab.registration().close();
            slab.arena().close();
        }
        slabs.clear();
        free.forEach(Deque::clear);
        slabBytes = 0;
    }
}
