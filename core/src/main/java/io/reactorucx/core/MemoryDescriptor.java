package io.reactorucx.core;

import io.reactorucx.core.internal.Arguments;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;

/**
 * The data that a peer needs to reach registered memory: its address and length in the owner's process, and the packed
 * remote key.
 *
 * <p>Layout of {@link #toBytes()}, big-endian: magic {@code 0x52554d44} (4 bytes), version 1 (1), address (8), length
 * (8), size of the key (2), key. Every holder of a descriptor can use the memory: UCX checks neither rights nor bounds
 * where a transport only emulates remote access.
 *
 * <p><b>Threading:</b> immutable. <b>Ownership:</b> copies what it is given. <b>Errors:</b> {@link
 * IllegalArgumentException} for bytes that are no descriptor.
 */
public final class MemoryDescriptor {

    /** Largest packed key that is accepted, in bytes. */
    public static final int MAX_KEY_BYTES = 4096;

    private static final int MAGIC = 0x52554d44;
    private static final byte VERSION = 1;
    private static final int FIXED_BYTES = 4 + 1 + 8 + 8 + 2;

    private final long address;
    private final long length;
    private final byte[] key;

    MemoryDescriptor(long address, long length, byte[] key) {
        this.address = address;
        this.length = Arguments.positive(length, "length");
        if (key.length < 1 || key.length > MAX_KEY_BYTES) {
            throw new IllegalArgumentException("key of " + key.length + " bytes: must be in 1.." + MAX_KEY_BYTES);
        }
        if (address == 0 || Long.compareUnsigned(address, -length) >= 0) {
            throw new IllegalArgumentException("address " + Long.toHexString(address) + ": no room for " + length
                    + " bytes there");
        }
        this.key = key.clone();
    }

    /**
     * Reads a descriptor that a peer sent.
     *
     * @param bytes what its {@link #toBytes()} gave
     * @return the descriptor
     */
    public static MemoryDescriptor fromBytes(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(Objects.requireNonNull(bytes, "bytes"));
        try {
            int magic = in.getInt();
            byte version = in.get();
            if (magic != MAGIC || version != VERSION) {
                throw new IllegalArgumentException("bytes: no memory descriptor of version " + VERSION);
            }
            long address = in.getLong();
            long length = in.getLong();
            byte[] key = new byte[Short.toUnsignedInt(in.getShort())];
            in.get(key);
            if (in.hasRemaining()) {
                throw new IllegalArgumentException("bytes: " + in.remaining() + " bytes follow the memory descriptor");
            }
            return new MemoryDescriptor(address, length, key);
        } catch (BufferUnderflowException e) {
            throw new IllegalArgumentException("bytes: a memory descriptor is longer than " + bytes.length
                    + " bytes", e);
        }
    }

    /** {@return the descriptor as bytes, to be sent to a peer} */
    public byte[] toBytes() {
        return ByteBuffer.allocate(FIXED_BYTES + key.length).putInt(MAGIC).put(VERSION).putLong(address).putLong(length)
                .putShort((short) key.length).put(key).array();
    }

    /** {@return address of the first byte in the owner's process} */
    public long address() {
        return address;
    }

    /** {@return size in bytes} */
    public long length() {
        return length;
    }

    byte[] key() {
        return key;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof MemoryDescriptor that && address == that.address && length == that.length
                && Arrays.equals(key, that.key);
    }

    @Override
    public int hashCode() {
        return Objects.hash(address, length, Arrays.hashCode(key));
    }

    @Override
    public String toString() {
        return length + " bytes at 0x" + Long.toHexString(address) + ", key " + HexFormat.of().formatHex(key);
    }
}
