package io.reactorucx.memory;

import io.reactorucx.core.MemoryDescriptor;
import io.reactorucx.internal.frame.WindowKey;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a framework peer needs to reach an exported window: its key, length and rights, and perhaps UCX's own key for
 * one-sided access.
 *
 * <p>Layout of {@link #toBytes()}, big-endian: magic {@code 0x52555757} (4 bytes), version 1 (1), rights (1: 1 read, 2
 * write, 4 atomic), key (16), length (8), size of the one-sided descriptor, 0 for none (2), that descriptor. Whoever
 * holds a descriptor can use the window until it is revoked: hand it over a channel that you trust, and do not log its
 * bytes.
 *
 * <p><b>Threading:</b> immutable. <b>Ownership:</b> copies what it is given. <b>Errors:</b>
 * {@link IllegalArgumentException} for bytes that are no descriptor.
 */
public final class WindowDescriptor {

    private static final int MAGIC = 0x52555757;
    private static final byte VERSION = 1;
    private static final int FIXED_BYTES = 4 + 1 + 1 + WindowKey.BYTES + 8 + 2;

    private final WindowKey key;
    private final long length;
    private final Set<MemoryRight> rights;
    private final @Nullable MemoryDescriptor oneSided;

    public WindowDescriptor(WindowKey key, long length, Set<MemoryRight> rights, @Nullable MemoryDescriptor oneSided) {
        this.key = key;
        this.length = length;
        this.rights = rights;
        this.oneSided = oneSided;
    }

    /**
     * Reads a descriptor that a peer sent.
     *
     * @param bytes what its {@link #toBytes()} gave
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
            WindowKey key = WindowKey.read(in);
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

    /** {@return the descriptor as bytes, to be sent to a peer} */
    public byte[] toBytes() {
        byte[] direct = oneSided == null ? new byte[0] : oneSided.toBytes();
        ByteBuffer out = ByteBuffer.allocate(FIXED_BYTES + direct.length).putInt(MAGIC).put(VERSION)
                .put((byte) MemoryRight.bits(rights));
        key.write(out);
        return out.putLong(length).putShort((short) direct.length).put(direct).array();
    }

    /** {@return size in bytes} */
    public long length() {
        return length;
    }

    /** {@return what the holder may do} */
    public Set<MemoryRight> rights() {
        return rights;
    }

    /** {@return what one-sided access needs, empty when the owner does not allow it} */
    public Optional<MemoryDescriptor> oneSided() {
        return Optional.ofNullable(oneSided);
    }

    public WindowKey key() {
        return key;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof WindowDescriptor that && key.equals(that.key) && length == that.length
                && rights.equals(that.rights)
                && Objects.equals(oneSided, that.oneSided);
    }

    @Override
    public int hashCode() {
        return Objects.hash(key, length, rights, oneSided);
    }

    @Override
    public String toString() {
        return "window of " + length + " bytes, " + rights + (oneSided == null ? "" : ", one-sided too");
    }
}
