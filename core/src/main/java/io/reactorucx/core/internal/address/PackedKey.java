package io.reactorucx.core.internal.address;

import io.reactorucx.core.internal.memory.AddressSpace;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The structure of a packed remote key, the same in all versions of UCX: a map of memory domains (8 bytes), the type of
 * the memory (1), and for each domain a size (1) and as many bytes. UCX gets no length and uses the type as an index,
 * so a key that was cut off or garbled is refused here. A domain's bytes are trusted, with one exception: posix ends
 * the process when its part, which consists of an identification, an address and a length of 8 bytes each and perhaps
 * the name of a folder, has no length.
 */
public final class PackedKey {

    private static final int POSIX_BYTES = 24;
    private static final int POSIX_ADDRESS_OFFSET = 8;
    private static final int POSIX_LENGTH_OFFSET = 16;
    private static final long MAX_BYTES = 1L << 47;
    private static final long MAX_WINDOW_OFFSET = 1L << 40;

    private PackedKey() {
    }

    /**
     * Returns a key after checking its structure.
     *
     * @param address where its memory begins
     * @param memoryTypes how many types of memory the library knows
     */
    public static byte[] checked(byte[] key, long address, int memoryTypes) {
        ByteBuffer in = ByteBuffer.wrap(key).order(ByteOrder.nativeOrder());
        try {
            long domains = in.getLong();
            int memoryType = Byte.toUnsignedInt(in.get());
            if (memoryType >= memoryTypes) {
                throw new IllegalArgumentException("key: this UCX knows no memory type " + memoryType);
            }
            for (int i = 0; i < Long.bitCount(domains); i++) {
                int bytes = Byte.toUnsignedInt(in.get());
                if (bytes > in.remaining()) {
                    throw new BufferUnderflowException();
                }
                checkPart(in.slice(in.position(), bytes).order(in.order()), address);
                in.position(in.position() + bytes);
            }
            return key;
        } catch (BufferUnderflowException e) {
            throw new IllegalArgumentException("key of " + key.length
                    + " bytes: it ends before what it says to hold", e);
        }
    }

    /**
     * No part names its transport: posix's is recognised by its size and by the page at which the memory begins, or by
     * an address of 0.
     */
    private static void checkPart(ByteBuffer part, long address) {
        if (part.limit() < POSIX_BYTES) {
            return;
        }
        long start = part.getLong(POSIX_ADDRESS_OFFSET);
        long length = part.getLong(POSIX_LENGTH_OFFSET);
        boolean isPosix = start == 0 || start % AddressSpace.PAGE_BYTES == 0
                && Long.compareUnsigned(address - start, MAX_WINDOW_OFFSET) < 0;
        if (isPosix && (length < 1 || length > MAX_BYTES)) {
            throw new IllegalArgumentException("key: its memory has " + length + " bytes, must be in 1.." + MAX_BYTES);
        }
    }
}
