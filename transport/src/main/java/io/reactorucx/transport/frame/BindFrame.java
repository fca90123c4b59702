package io.reactorucx.transport.frame;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A frame by which two authenticated peers bind the endpoints of a connection to each other. Layout, big-endian: token
 * (8 bytes), magic {@code 0x52554350} (4), type (1), number (4), the rest: a worker address in {@link Type#ADDRESS} and
 * {@link Type#BIND}.
 *
 * @param type the type
 * @param token the token that the receiver has chosen for what this connection brings it
 * @param number the number of the sender's endpoint among those to the receiver's worker, in {@link Type#BIND}
 * @param address the address of the sender's worker, in {@link Type#ADDRESS} and {@link Type#BIND}
 */
public record BindFrame(Type type, long token, int number, byte[] address) {

    private static final int MAGIC = 0x52554350;
    private static final int FIXED_BYTES = 4 + 1 + 8 + 4;

    /** The size of the largest frame. */
    public static final int MAX_BYTES = FIXED_BYTES + 64 * 1024;

    /**
     * The types, in the protocol's order: frames carry the ordinal. ADDRESS travels over the socket, the others over
     * the new endpoints.
     */
    public enum Type {
        ADDRESS, BIND, BOUND, READY;

        private boolean hasAddress() {
            return this == ADDRESS || this == BIND;
        }
    }

    private static final Type[] TYPES = Type.values();

    public BindFrame(Type type, long token) {
        this(type, token, 0, new byte[0]);
    }

    /** Returns whether this is an ADDRESS for the receiver of this token. */
    public boolean isAddress(long expectedToken) {
        return type == Type.ADDRESS && token == expectedToken;
    }

    public byte[] toBytes() {
        return ByteBuffer.allocate(FIXED_BYTES + address.length).putLong(token).putInt(MAGIC)
                .put((byte) type.ordinal()).putInt(number).put(address).array();
    }

    /** Returns the frame, or null when the bytes are none. */
    public static @Nullable BindFrame parse(byte[] bytes) {
        if (bytes.length < FIXED_BYTES || bytes.length > MAX_BYTES) {
            return null;
        }
        ByteBuffer in = ByteBuffer.wrap(bytes);
        long token = in.getLong();
        int magic = in.getInt();
        int type = Byte.toUnsignedInt(in.get());
        int number = in.getInt();
        if (magic != MAGIC || type >= TYPES.length || number < 0 || in.hasRemaining() != TYPES[type].hasAddress()) {
            return null;
        }
        byte[] address = new byte[in.remaining()];
        in.get(address);
        return new BindFrame(TYPES[type], token, number, address);
    }
}
