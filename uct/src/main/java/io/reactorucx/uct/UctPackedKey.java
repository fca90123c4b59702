package io.reactorucx.uct;

import io.reactorucx.core.internal.Arguments;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;

/**
 * The data that a peer needs to reach memory of a memory domain: the component, address and length in the owner's
 * process, and the packed key.
 *
 * <p>Layout of {@link #toBytes()}, big-endian: magic {@code 0x5255434b} (4 bytes), version 1 (1), address (8), length
 * (8), size of the component's name (1), name, size of the key (2), key. Every holder of a key can use the memory, and
 * has to trust its creator: the key decides what is mapped.
 *
 * <p><b>Threading:</b> immutable. <b>Ownership:</b> copies what it is given. <b>Errors:</b> {@link
 * IllegalArgumentException} for bytes that are no packed key.
 */
public final class UctPackedKey {

    /** Largest packed key that is accepted, in bytes. */
    public static final int MAX_KEY_BYTES = 4096;

    private static final int MAGIC = 0x5255434b;
    private static final byte VERSION = 1;
    private static final int FIXED_BYTES = 4 + 1 + 8 + 8 + 1 + 2;
    private static final int MAX_NAME_LENGTH = 16;

    private final String componentName;
    private final long address;
    private final long length;
    private final byte[] key;

    /**
     * Joins the parts, for a key that another program packed.
     *
     * @param componentName name of the component whose memory domain packed the key
     * @param address address of the first byte in the owner's process
     * @param length size in bytes, at least 1
     * @param key what {@code uct_md_mkey_pack} filled, empty for a domain that needs none
     */
    public UctPackedKey(String componentName, long address, long length, byte[] key) {
        this.componentName = Objects.requireNonNull(componentName, "componentName");
        this.address = address;
        this.length = Arguments.positive(length, "length");
        this.key = Objects.requireNonNull(key, "key").clone();
        if (componentName.isEmpty() || componentName.length() > MAX_NAME_LENGTH
                || !StandardCharsets.US_ASCII.newEncoder().canEncode(componentName)) {
            throw new IllegalArgumentException("componentName " + componentName + ": 1.." + MAX_NAME_LENGTH
                    + " ASCII characters");
        }
        if (key.length > MAX_KEY_BYTES) {
            throw new IllegalArgumentException("key of " + key.length + " bytes: at most " + MAX_KEY_BYTES);
        }
        if (address == 0 || Long.compareUnsigned(address, -length) >= 0) {
            throw new IllegalArgumentException("address " + Long.toHexString(address) + ": no room for " + length
                    + " bytes there");
        }
    }

    /**
     * Reads a packed key that a peer sent.
     *
     * @param bytes what its {@link #toBytes()} gave
     * @return the key
     */
    public static UctPackedKey fromBytes(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(Objects.requireNonNull(bytes, "bytes"));
        try {
            int magic = in.getInt();
            byte version = in.get();
            if (magic != MAGIC || version != VERSION) {
                throw new IllegalArgumentException("bytes: no packed key of version " + VERSION);
            }
            long address = in.getLong();
            long length = in.getLong();
            byte[] name = new byte[Byte.toUnsignedInt(in.get())];
            in.get(name);
            byte[] key = new byte[Short.toUnsignedInt(in.getShort())];
            in.get(key);
            if (in.hasRemaining()) {
                throw new IllegalArgumentException("bytes: " + in.remaining() + " bytes follow the packed key");
            }
            return new UctPackedKey(new String(name, StandardCharsets.US_ASCII), address, length, key);
        } catch (BufferUnderflowException e) {
            throw new IllegalArgumentException("bytes: a packed key is longer than " + bytes.length + " bytes", e);
        }
    }

    /** {@return the key as bytes, to be sent to a peer} */
    public byte[] toBytes() {
        byte[] name = componentName.getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocate(FIXED_BYTES + name.length + key.length).putInt(MAGIC).put(VERSION).putLong(address)
                .putLong(length)
                .put((byte) name.length).put(name).putShort((short) key.length).put(key).array();
    }

    /** {@return name of the component that can unpack it} */
    public String componentName() {
        return componentName;
    }

    /** {@return address of the first byte in the owner's process} */
    public long address() {
        return address;
    }

    /** {@return size in bytes} */
    public long length() {
        return length;
    }

    /** {@return the bytes that {@code uct_md_mkey_pack} filled} */
    public byte[] key() {
        return key.clone();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof UctPackedKey that && componentName.equals(that.componentName) && address == that.address
                && length == that.length && Arrays.equals(key, that.key);
    }

    @Override
    public int hashCode() {
        return Objects.hash(componentName, address, length, Arrays.hashCode(key));
    }

    @Override
    public String toString() {
        return length + " bytes of " + componentName + " at 0x" + Long.toHexString(address) + ", key "
                + HexFormat.of().formatHex(key);
    }
}
