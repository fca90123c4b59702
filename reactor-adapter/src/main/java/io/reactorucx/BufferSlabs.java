package io.reactorucx;

import io.reactorucx.core.UcpContext;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The slabs of a pool, at most so many bytes of them, and their free blocks. Under the lock of the pool. */
final class BufferSlabs {

    static final long SLAB_BYTES = 4L << 20;

    private static final long PAGE_BYTES = 4096;

    private final UcpContext context;
    private final long maxBytes;
    private final List<Deque<BufferSlab.Block>> free = new ArrayList<>();
    private final List<BufferSlab> slabs = new ArrayList<>();
    private long bytes;

    BufferSlabs(UcpContext context, long maxBytes) {
        this.context = context;
        this.maxBytes = maxBytes;
        for (int i = 0; i < Long.SIZE; i++) {
            free.add(new ArrayDeque<>());
        }
    }

    /** A block of two to the power of the size class, or null when there is no room for one. */
    BufferSlab.@Nullable Block take(int sizeClass) {
        BufferSlab.Block block = free.get(sizeClass).poll();
        if (block == null && addSlab(sizeClass)) {
            block = free.get(sizeClass).remove();
        }
        if (block != null) {
            block.slab().leased();
        }
        return block;
    }

    void give(BufferSlab.Block block) {
        block.slab().released();
        free.get(block.slab().sizeClass()).push(block);
    }

    private boolean addSlab(int sizeClass) {
        long blockBytes = 1L << sizeClass;
        long slabBytes = Math.max(blockBytes, SLAB_BYTES);
        if (bytes + slabBytes > maxBytes) {
            freeIdle();
        }
        if (bytes + slabBytes > maxBytes) {
            return false;
        }
        Arena arena = Arena.ofShared();
        try {
            MemorySegment memory = arena.allocate(slabBytes, PAGE_BYTES);
            BufferSlab slab = new BufferSlab(arena, context.register(memory), sizeClass);
            slabs.add(slab);
            bytes += slabBytes;
            for (long offset = 0; offset < slabBytes; offset += blockBytes) {
                free.get(sizeClass).add(new BufferSlab.Block(memory.asSlice(offset, blockBytes), offset, slab));
            }
            return true;
        } catch (RuntimeException e) {
            arena.close();
            throw e;
        }
    }

    /** Makes room for blocks of another size. */
    void freeIdle() {
        for (BufferSlab slab : List.copyOf(slabs)) {
            if (slab.isIdle() && slab.tryFree()) {
                slabs.remove(slab);
                free.get(slab.sizeClass()).removeIf(block -> block.slab() == slab);
                bytes -= slab.bytes();
            }
        }
    }

    /** Whether a loss would be noticed, of what is leased. */
    boolean isWatched() {
        return slabs.stream().anyMatch(BufferSlab::isWatched);
    }

    long bytes() {
        return bytes;
    }
}
