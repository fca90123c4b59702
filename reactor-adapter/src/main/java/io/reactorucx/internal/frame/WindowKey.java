package io.reactorucx.internal.frame;

import io.reactorucx.memory.WindowDescriptor;
import java.nio.ByteBuffer;
import java.security.SecureRandom;

/**
 * The key of an exported window: 128 random bits that name it, and prove that its owner gave the descriptor away. It is
 * never printed.
 */
public record WindowKey(long high, long low) {

    public static final int BYTES = 2 * Long.BYTES;

    /** Place of the key in {@link WindowDescriptor#toBytes()}, behind magic, version and rights. */
    private static final int OFFSET_IN_DESCRIPTOR = 4 + 1 + 1;

    private static final SecureRandom RANDOM = new SecureRandom();

    public static WindowKey random() {
        return new WindowKey(RANDOM.nextLong(), RANDOM.nextLong());
    }

    /** Returns the key in a descriptor. */
    public static WindowKey of(WindowDescriptor descriptor) {
        return read(ByteBuffer.wrap(descriptor.toBytes()).position(OFFSET_IN_DESCRIPTOR));
    }

    public static WindowKey read(ByteBuffer in) {
        return new WindowKey(in.getLong(), in.getLong());
    }

    public void write(ByteBuffer out) {
        out.putLong(high).putLong(low);
    }

    public byte[] toBytes() {
        ByteBuffer out = ByteBuffer.allocate(BYTES);
        write(out);
        return out.array();
    }

    @Override
    public String toString() {
        return "key";
    }
}
