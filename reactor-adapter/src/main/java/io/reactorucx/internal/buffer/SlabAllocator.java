package io.reactorucx.internal.buffer;

import io.reactorucx.core.LargePages;
import io.reactorucx.core.UcpContext;
import io.reactorucx.core.UcxException;
import io.reactorucx.core.UcxStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The slabs of a pool, at most so many bytes of them, and their free blocks. Under the lock of the pool, but for
 * {@link #make}.
 */
public final class SlabAllocator {

    public static final long SLAB_BYTES = 4L << 20;

    private final UcpContext context;
    private final long maxBytes;
    private final List<Deque<BufferSlab.Block>> free = new ArrayList<>();
    private final List<BufferSlab> slabs = new ArrayList<>();
    /** By size class: slabs that were reserved, and are neither there nor given up yet. */
    private final int[] inTheMaking = new int[Long.SIZE];
    private long bytes;

    public SlabAllocator(UcpContext context, long maxBytes) {
        this.context = context;
        this.maxBytes = maxBytes;
        for (int i = 0; i < Long.SIZE; i++) {
            free.add(new ArrayDeque<>());
        }
    }

    /** A block of two to the power of the size class, or null when none is free. */
    public BufferSlab.@Nullable Block take(int sizeClass) {
        BufferSlab.Block block = free.get(sizeClass).poll();
        if (block != null) {
            block.slab().leased();
        }
        return block;
    }

    public void give(BufferSlab.Block block) {
        block.slab().released();
        free.get(block.slab().sizeClass()).push(block);
    }

    private static long slabBytes(int sizeClass) {
        return Math.max(1L << sizeClass, SLAB_BYTES);
    }

    /** Sets room aside for one more slab, to be made and {@link #made} next; answers whether there is any. */
    public boolean reserve(int sizeClass) {
        long slabBytes = slabBytes(sizeClass);
        if (bytes + slabBytes > maxBytes) {
            freeIdle();
        }
        if (bytes + slabBytes > maxBytes) {
            return false;
        }
        bytes += slabBytes;
        inTheMaking[sizeClass]++;
        return true;
    }

    /** Maps and registers memory for a slab, which takes long: without the lock. */
    public BufferSlab make(int sizeClass) {
        Arena arena = Arena.ofShared();
        try {
            return new BufferSlab(arena, context.register(LargePages.allocate(slabBytes(sizeClass), arena)), sizeClass);
        } catch (OutOfMemoryError e) {
            arena.close();
            throw new UcxException(UcxStatus.NO_MEMORY, "acquire", null, String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            arena.close();
            throw e;
        }
    }

    /** A slab that was reserved is there, or null: it could not be made. */
    public void made(int sizeClass, @Nullable BufferSlab slab) {
        inTheMaking[sizeClass]--;
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

    /** Whether somebody makes a slab with blocks of this size. */
    public boolean isMaking(int sizeClass) {
        return inTheMaking[sizeClass] > 0;
    }

    /** Whether somebody makes a slab. */
    public boolean isMaking() {
        return Arrays.stream(inTheMaking).anyMatch(count -> count > 0);
    }

    /** Makes room for blocks of another size. */
    public void freeIdle() {
        for (BufferSlab slab : List.copyOf(slabs)) {
            if (slab.isIdle() && slab.tryFree()) {
                slabs.remove(slab);
                free.get(slab.sizeClass()).removeIf(block -> block.slab() == slab);
                bytes -= slab.bytes();
            }
        }
    }

    /** Whether a loss would be noticed, of what is leased. */
    public boolean isWatched() {
        return slabs.stream().anyMatch(BufferSlab::isWatched);
    }

    public long bytes() {
        return bytes;
    }
}
