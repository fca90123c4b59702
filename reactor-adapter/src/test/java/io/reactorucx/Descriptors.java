package io.reactorucx;

import io.reactorucx.internal.frame.WindowKey;
import io.reactorucx.memory.MemoryRight;
import io.reactorucx.memory.WindowDescriptor;
import java.nio.ByteBuffer;
import java.util.Set;

/** Window descriptors that no owner has made, by the documented layout. */
final class Descriptors {

    private Descriptors() {
    }

    static WindowDescriptor of(WindowKey key, long length, Set<MemoryRight> rights) {
        return WindowDescriptor.fromBytes(bytes(key, length, bits(rights)));
    }

    static byte[] bytes(WindowKey key, long length, int rights) {
        ByteBuffer out = ByteBuffer.allocate(32).putInt(0x52555757).put((byte) 1).put((byte) rights)
                .putLong(key.high()).putLong(key.low());
        return out.putLong(length).putShort((short) 0).array();
    }

    /** The bits of the layout: 1 read, 2 write, 4 atomic. */
    static int bits(Set<MemoryRight> rights) {
        return rights.stream().mapToInt(right -> switch (right) {
            case READ -> 1;
            case WRITE -> 2;
            case ATOMIC -> 4;
        }).sum();
    }
}
