package io.reactorucx.core.internal.address;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The structure of an exported memory handle, the same since UCX 1.14: the size of the part that describes the memory,
 * flags (2 bytes), a map of memory domains (8), type (1), address (8), length (8), the owner's context (8) and the
 * registration (8); then for each domain the size of its part, a key and an identifier, both with their sizes (1). UCX
 * gets no length, and aborts the process on sizes that do not fit. The contents of a domain's key are trusted.
 */
public final class ExportedHandle {

    private static final int EXPORTED = 1;
    /** UCX adds the three bytes of the size itself, in 16 bits. */
    private static final int MAX_PART_BYTES = 0xffff - 3;
    private static final long ADDRESSES = 1L << 57;

    private final ByteBuffer in;

    private ExportedHandle(byte[] exported) {
        in = ByteBuffer.wrap(exported).order(ByteOrder.nativeOrder());
    }

    /** Returns a handle after checking its structure, for a library that knows some types of memory. */
    public static byte[] checked(byte[] exported, int memoryTypes) {
        try {
            new ExportedHandle(exported).read(memoryTypes);
            return exported;
        } catch (BufferUnderflowException e) {
            throw new IllegalArgumentException("exported of " + exported.length
                    + " bytes: it ends before what it says to hold", e);
        }
    }

    private void read(int memoryTypes) {
        int end = end();
        if ((in.getShort() & EXPORTED) == 0) {
            throw new IllegalArgumentException("exported: it is no handle of exported memory");
        }
        long domains = in.getLong();
        int memoryType = Byte.toUnsignedInt(in.get());
        if (memoryType >= memoryTypes) {
            throw new IllegalArgumentException("exported: this UCX knows no memory type " + memoryType);
        }
        long address = in.getLong();
        long length = in.getLong();
        if (address < 1 || length < 1 || address > ADDRESSES || length > ADDRESSES - address) {
            throw new IllegalArgumentException("exported: " + Long.toUnsignedString(length) + " bytes at 0x"
                    + Long.toHexString(address));
        }
        in.getLong();
        in.getLong();
        skipTo(end);
        for (int i = 0; i < Long.bitCount(domains); i++) {
            int partEnd = end();
            skipPart("key");
            skipPart("identifier");
            skipTo(partEnd);
        }
    }

    /** The end of the structure that begins here. Its size is one byte, or a zero and then two bytes. */
    private int end() {
        int bytes = Byte.toUnsignedInt(in.get());
        if (bytes == 0) {
            bytes = Short.toUnsignedInt(in.getShort());
            if (bytes > MAX_PART_BYTES) {
                throw new IllegalArgumentException("exported: a structure of " + bytes + " bytes, at most "
                        + MAX_PART_BYTES);
            }
        }
        return in.position() + bytes;
    }

    private void skipPart(String name) {
        int bytes = Byte.toUnsignedInt(in.get());
        if (bytes == 0) {
            throw new IllegalArgumentException("exported: a memory domain's " + name + " is empty");
        }
        skip(bytes);
    }

    private void skipTo(int end) {
        if (end < in.position()) {
            throw new IllegalArgumentException("exported: a structure takes " + (in.position() - end)
                    + " bytes more than it says");
        }
        skip(end - in.position());
    }

    private void skip(int bytes) {
        if (bytes > in.remaining()) {
            throw new BufferUnderflowException();
        }
        in.position(in.position() + bytes);
    }
}
