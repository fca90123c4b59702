package io.reactorucx.internal.message.simulation;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.error.UcxException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;

/** Contents of simulated messages: who sends it, the number, and bytes that follow from both. */
final class Content {

    static final int MIN_BYTES = 2 * Integer.BYTES;

    private Content() {
    }

    static byte[] of(int sender, int number, int size) {
        byte[] bytes = new byte[Math.max(MIN_BYTES, size)];
        ByteBuffer.wrap(bytes).putInt(sender).putInt(number);
        int state = sender * 31 + number * 7919 + size;
        for (int i = MIN_BYTES; i < bytes.length; i++) {
            state = state * 1_103_515_245 + 12_345;
            bytes[i] = (byte) (state >>> 16);
        }
        return bytes;
    }

    static int sender(byte[] message) {
        return ByteBuffer.wrap(message).getInt();
    }

    static int number(byte[] message) {
        return ByteBuffer.wrap(message).getInt(Integer.BYTES);
    }

    static boolean isIntact(byte[] message) {
        return message.length >= MIN_BYTES && java.util.Arrays.equals(message,
                of(sender(message), number(message), message.length));
    }

    static byte[] bytes(Object message) {
        return message instanceof UcxBuffer lease ? lease.segment().toArray(ValueLayout.JAVA_BYTE) : (byte[]) message;
    }

    /** Returns a lease with the bytes, or the bytes themselves while the pool has no memory. */
    static Object leased(SimulatedSide side, byte[] bytes, Object owner) {
        try {
            UcxBuffer lease = side.pool().acquire(bytes.length, null);
            MemorySegment.copy(bytes, 0, lease.segment(), ValueLayout.JAVA_BYTE, 0, bytes.length);
            side.simulation().track(lease, "message " + number(bytes) + " of " + owner);
            return lease;
        } catch (UcxException e) {
            return bytes;
        }
    }

    static void release(Object message) {
        if (message instanceof UcxBuffer lease) {
            lease.release();
        }
    }
}
