package io.reactorucx.memory;

import io.reactorucx.core.MemoryDescriptor;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The data by which a framework peer reaches an exported window: key, length and rights, and perhaps UCX's own key
 * for one-sided access.
 *
 * <p>Layout of {@link #toBytes()}, big-endian: magic {@code 0x52555757} (4 bytes), version 1 (1), rights (1: 1 read, 2
 * write, 4 atomic), key (16), length (8), size of the one-sided descriptor, 0 for none (2), that descriptor. A holder
 * of the descriptor can use the window until it is revoked: send it over a channel that you trust, and do not log its
 * bytes.
 *
 * <p><b>Threading:</b> immutable. <b>Ownership:</b> arrays are copied. <b>Errors:</b> {@link IllegalArgumentException}
 * for bytes that are not a descriptor.
 */
public final class WindowDescriptor {

    private static final int MAGIC = 0x52555757;
    private static final byte VERSION = 1;
    private static final int KEY_BYTES = 16;
    private static final int FIXED_BYTES = 4 + 1 + 1 + KEY_BYTES + 8 + 2;

    private final byte[] key;
    private final long length;
    private final Set<MemoryRight> rights;
    private final @Nullable MemoryDescriptor oneSided;

    WindowDescriptor(byte[] key, long length, Set<MemoryRight> rights, @Nullable MemoryDescriptor oneSided) {
        if (key.length != KEY_BYTES) {
            throw new IllegalArgumentException("key of " + key.length + " bytes: must be " + KEY_BYTES);
        }
        this.key = key.clone();
        this.length = length;
        this.rights = rights;
        this.oneSided = oneSided;
    }

    /**
     * Reads a descriptor of a peer.
     *
     * @param bytes the result of its {@link #toBytes()}
     * @return the descriptor
     */
    public static WindowDescriptor fromBytes(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(Objects.requireNonNull(bytes, "bytes"));
        try {
            int magic = in.getInt();
            byte version = in.get();
            if (magic != MAGIC || version != VERSION) {
                throw new IllegalArgumentException("bytes: no window descriptor of version " + VERSION);
            }
            Set<MemoryRight> rights = MemoryRight.of(in.get());
            byte[] key = new byte[KEY_BYTES];
            in.get(key);
            long length = in.getLong();
            byte[] oneSided = new byte[Short.toUnsignedInt(in.getShort())];
            in.get(oneSided);
            if (in.hasRemaining()) {
                throw new IllegalArgumentException("bytes: " + in.remaining() + " bytes follow the window descriptor");
            }
            if (rights == null || length < 1) {
                throw new IllegalArgumentException("bytes: a window descriptor with length " + length + " and "
                        + (rights == null ? "unknown rights" : "rights " + rights));
            }
            MemoryDescriptor descriptor = oneSided.length == 0 ? null : MemoryDescriptor.fromBytes(oneSided);
            if (descriptor != null && descriptor.length() != length) {
                throw new IllegalArgumentException("bytes: a window of " + length + " bytes, one-sided of "
                        + descriptor.length());
            }
            return new WindowDescriptor(key, length, rights, descriptor);
        } catch (BufferUnderflowException e) {
            throw new IllegalArgumentException("bytes: a window descriptor is longer than " + bytes.length + " bytes",
                    e);
        }
    }

    /** {@return the descriptor as bytes, for a peer} */
    public byte[] toBytes() {
        byte[] direct = oneSided == null ? new byte[0] : oneSided.toBytes();
        return ByteBuffer.allocate(FIXED_BYTES + direct.length).putInt(MAGIC).put(VERSION)
                .put((byte) MemoryRight.bits(rights)).put(key).putLong(length).putShort((short) direct.length)
                .put(direct).array();
    }

    /** {@return size in bytes} */
    public long length() {
        return length;
    }

    /** {@return the rights of the holder} */
    public Set<MemoryRight> rights() {
        return rights;
    }

    /** {@return the descriptor for one-sided access, empty when the owner does not allow it} */
    public Optional<MemoryDescriptor> oneSided() {
        return Optional.ofNullable(oneSided);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof WindowDescriptor that && Arrays.equals(key, that.key) && length == that.length
                && rights.equals(that.rights) && Objects.equals(oneSided, that.oneSided);
    }

    @Override
    public int hashCode() {
        return Objects.hash(Arrays.hashCode(key), length, rights, oneSided);
    }

    @Override
    public String toString() {
        return "window of " + length + " bytes, " + rights + (oneSided == null ? "" : ", one-sided too");
    }
}
