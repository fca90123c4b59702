package io.reactorucx.transport.buffer;

import io.reactorucx.core.UcpContext;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.core.UcxArena;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.core.shm.LargePages;
import io.reactorucx.core.shm.SharedPages;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Allocates blocks of registered memory from slabs, up to a limit of bytes in slabs.
 *
 * <p>Thread: holds the pool's lock. {@link #take} gives the lock up while it maps and registers a slab, because that
 * takes long.
 */
final class SlabAllocator {

    static final long SLAB_BYTES = 4L << 20;
    static final long MIN_BLOCK_BYTES = 4096;

    private final UcpContext context;
    private final long maxBytes;
    private final boolean sharing;
    private final ReentrantLock lock;
    private final Condition slabMade;
    private final List<Deque<BufferSlab.Block>> free = new ArrayList<>();
    private final List<BufferSlab> slabs = new ArrayList<>();
    /** By size class: the number of slabs that are reserved and still being made. */
    private final int[] making = new int[Long.SIZE];
    private long bytes;
    private boolean roomGivenBack;
    private boolean closed;

    /**
     * Creates an allocator.
     *
     * @param sharing whether peers of this host may map the slabs to read them
     */
    SlabAllocator(UcpContext context, long maxBytes, boolean sharing, ReentrantLock lock) {
        this.context = context;
        this.sharing = sharing;
        this.maxBytes = maxBytes;
        this.lock = lock;
        this.slabMade = lock.newCondition();
        for (int i = 0; i < Long.SIZE; i++) {
            free.add(new ArrayDeque<>());
        }
    }

    /** Returns the power of two of the block for so many bytes, which are checked against the limit. Any thread. */
    int sizeClass(long wanted) {
        if (wanted < 0 || wanted > maxBytes) {
            throw new IllegalArgumentException("bytes " + wanted + ": must be in 0.." + maxBytes
                    + ", the limit of the pool");
        }
        long atLeast = Math.max(wanted, MIN_BLOCK_BYTES);
        if (atLeast > Long.highestOneBit(maxBytes)) {
            throw new IllegalArgumentException("bytes " + wanted
                    + ": the block of the next power of two exceeds the pool's " + maxBytes);
        }
        return Long.SIZE - Long.numberOfLeadingZeros(atLeast - 1);
    }

    /**
     * Returns a block of two to the power of the size class. Returns null when there is no room for it or the pool is
     * closed.
     */
    BufferSlab.@Nullable Block take(int sizeClass) {
        BufferSlab.Block block = closed ? null : poll(sizeClass);
        while (block == null && !closed && making[sizeClass] > 0) {
            slabMade.awaitUninterruptibly();
            block = closed ? null : poll(sizeClass);
        }
        if (block != null || closed || !reserve(sizeClass)) {
            return block;
        }
        BufferSlab slab = null;
        lock.unlock();
        try {
            slab = make(sizeClass);
        } finally {
            lock.lock();
            made(sizeClass, slab);
            roomGivenBack |= slab == null;
            slabMade.signalAll();
        }
        // The lock was not given up since the slab is in the list, and close() waits until it is.
        return poll(sizeClass);
    }

    private BufferSlab.@Nullable Block poll(int sizeClass) {
        BufferSlab.Block block = free.get(sizeClass).poll();
        if (block != null) {
            block.slab().leased();
        }
        return block;
    }

    /** Takes a block back. */
    void give(BufferSlab.Block block) {
        block.slab().released();
        free.get(block.slab().sizeClass()).push(block);
    }

    private static long slabBytes(int sizeClass) {
        return Math.max(1L << sizeClass, SLAB_BYTES);
    }

    /** Reserves the bytes of one more slab. Returns whether the limit allows it. */
    private boolean reserve(int sizeClass) {
        long slabBytes = slabBytes(sizeClass);
        if (slabBytes > maxBytes - bytes) {
            freeIdle();
        }
        if (slabBytes > maxBytes - bytes) {
            return false;
        }
        bytes += slabBytes;
        making[sizeClass]++;
        return true;
    }

    /** Maps and registers the memory of a slab. Thread: without the lock. */
    private BufferSlab make(int sizeClass) {
        UcxArena arena = UcxArena.ofShared();
        try {
            SharedPages pages = sharing ? SharedPages.allocate(slabBytes(sizeClass), arena) : null;
            MemorySegment memory = pages == null ? LargePages.allocate(slabBytes(sizeClass), arena) : pages.memory();
            return new BufferSlab(arena, context.register(memory), sizeClass,
                    pages == null ? null : new SharedSlab(pages));
        } catch (OutOfMemoryError e) {
            arena.close();
            throw new UcxException(UcxStatus.NO_MEMORY, "acquire", null, String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            arena.close();
            throw e;
        }
    }

    /** Ends a reservation: adds the blocks of the slab, or gives its bytes back if it could not be made. */
    private void made(int sizeClass, @Nullable BufferSlab slab) {
        making[sizeClass]--;
        if (slab == null) {
            bytes -= slabBytes(sizeClass);
            return;
        }
        slabs.add(slab);
        MemorySegment memory = slab.registration().segment();
        long blockBytes = 1L << sizeClass;
        for (long offset = 0; offset < memory.byteSize(); offset += blockBytes) {
            free.get(sizeClass).add(new BufferSlab.Block(memory.asSlice(offset, blockBytes), offset, slab));
        }
    }

    /** Returns whether a slab could not be made since the last call, so that its bytes are free for other sizes. */
    boolean pollRoomGivenBack() {
        boolean given = roomGivenBack;
        roomGivenBack = false;
        return given;
    }

    /** Frees the slabs without leases, for the room of blocks of another size. */
    void freeIdle() {
        for (BufferSlab slab : List.copyOf(slabs)) {
            if (slab.isIdle() && slab.tryFree()) {
                slabs.remove(slab);
                free.get(slab.sizeClass()).removeIf(block -> block.slab() == slab);
                bytes -= slab.bytes();
            }
        }
    }

    boolean isSharing() {
        return sharing;
    }

    /** Returns the slab of a registration, if peers of this host can map it. */
    @Nullable SharedSlab shared(UcpMemory registration) {
        for (BufferSlab slab : slabs) {
            if (slab.registration() == registration) {
                return slab.shared();
            }
        }
        return null;
    }

    /** From now on {@link #take} returns null. */
    void close() {
        closed = true;
    }

    boolean isClosed() {
        return closed;
    }

    /** Waits until no thread makes a slab. */
    void awaitMaking() {
        while (Arrays.stream(making).anyMatch(count -> count > 0)) {
            slabMade.awaitUninterruptibly();
        }
    }

    /** Whether a lease is watched for a leak. */
    boolean isWatched() {
        return slabs.stream().anyMatch(BufferSlab::isWatched);
    }

    long bytes() {
        return bytes;
    }

    long maxBytes() {
        return maxBytes;
    }
}
