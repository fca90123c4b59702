package io.reactorucx.core;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The structure of a packed remote key, the same in all versions of UCX: a map of memory domains (8 bytes), the type of the memory (1),
 * and for each domain a size (1) and as many bytes. UCX is told no length, and takes the type for an index, so that a key which was cut
 * off or garbled is better found here. What a domain's bytes say is trusted.
 */
final class PackedKey {

    private PackedKey() {
    }

    static byte[] checked(byte[] key) {
        ByteBuffer in = ByteBuffer.wrap(key).order(ByteOrder.nativeOrder());
        try {
            long domains = in.getLong();
            int memoryType = Byte.toUnsignedInt(in.get());
            if (memoryType >= UcxMemoryType.count(Ucx.version())) {
                throw new IllegalArgumentException("key: UCX " + Ucx.version() + " knows no memory type " + memoryType);
            }
            for (int i = 0; i < Long.bitCount(domains); i++) {
                int bytes = Byte.toUnsignedInt(in.get());
                if (bytes > in.remaining()) {
                    throw new BufferUnderflowException();
                }
                in.position(in.position() + bytes);
            }
            return key;
        } catch (BufferUnderflowException e) {
            throw new IllegalArgumentException("key of " + key.length + " bytes: it ends before what it says to hold", e);
        }
    }
}
