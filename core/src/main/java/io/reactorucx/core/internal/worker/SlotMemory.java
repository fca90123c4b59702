package io.reactorucx.core.internal.worker;

import io.reactorucx.core.ffi.UcpDirect;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Native memory of the slots of operations in flight, for headers and small messages, so that the caller's memory is
 * free at once. It is allocated with the slots.
 *
 * <p>Thread: worker.
 */
public final class SlotMemory {

    public static final int BYTES = 128;

    private final Arena arena;
    private long[] addresses = new long[0];

    public SlotMemory(Arena arena) {
        this.arena = arena;
    }

    /** Allocates the memory of more slots. */
    public void grow(int slots) {
        int before = addresses.length;
        long added = arena.allocate((long) (slots - before) * BYTES, BYTES).address();
        addresses = Arrays.copyOf(addresses, slots);
        for (int slot = before; slot < slots; slot++) {
            addresses[slot] = added + (long) (slot - before) * BYTES;
        }
    }

    /** Returns the first bytes of a slot's memory. */
    public MemorySegment of(int slot, long bytes) {
        return UcpDirect.segment(addresses[slot], bytes);
    }

    /** Copies a message to a slot's memory, and returns its address. */
    public long copy(int slot, MemorySegment header, MemorySegment payload) {
        long address = addresses[slot];
        UcpDirect.copy(header, address);
        UcpDirect.copy(payload, address + header.byteSize());
        return address;
    }
}
