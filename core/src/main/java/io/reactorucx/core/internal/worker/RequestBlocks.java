package io.reactorucx.core.internal.worker;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Memory of this process for UCX's requests, a block for each slot ({@code UCP_OP_ATTR_FIELD_REQUEST}). UCX must not
 * free such requests.
 */
public final class RequestBlocks {

    private static final long ALIGNMENT = 64;

    private final MemorySegment memory;
    private final long blockBytes;
    private final int blocks;

    public RequestBlocks(long requestBytes, int blocks, Arena arena) {
        this.blockBytes = Math.ceilDiv(requestBytes, ALIGNMENT) * ALIGNMENT;
        this.blocks = blocks;
        this.memory = arena.allocate(blockBytes * blocks, ALIGNMENT);
    }

    /**
     * The pointer to pass to UCX for a slot: the end of its block, in front of which UCX writes; NULL for a slot
     * without a block.
     */
    public MemorySegment of(int slot) {
        return slot < blocks ? MemorySegment.ofAddress(memory.address() + (slot + 1) * blockBytes) : MemorySegment.NULL;
    }

    public boolean contains(long request) {
        return request > memory.address() && request <= memory.address() + memory.byteSize();
    }
}
