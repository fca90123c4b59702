package io.reactorucx.stress;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Contents of checked messages: sender, number and size, and then bytes that follow from sender and number. */
final class Payload {

    /** Size of the start of a checked message, which also is the header of a checked active message. */
    static final int PREFIX = 3 * Long.BYTES;

    private Payload() {
    }

    static MemorySegment of(long sender, long number, long size) {
        return fill(Arena.ofAuto().allocate(Math.max(PREFIX, size), Long.BYTES), sender, number);
    }

    /** Fills memory of at least {@link #PREFIX} bytes. */
    static MemorySegment fill(MemorySegment segment, long sender, long number) {
        long state = (sender * 1_000_003 + number) * 0x9E3779B97F4A7C15L + 1;
        long offset = PREFIX;
        for (; offset + Long.BYTES <= segment.byteSize(); offset += Long.BYTES) {
            state = state * 6364136223846793005L + 1442695040888963407L;
            segment.set(ValueLayout.JAVA_LONG_UNALIGNED, offset, state ^ state >>> 33);
        }
        for (; offset < segment.byteSize(); offset++) {
            segment.set(ValueLayout.JAVA_BYTE, offset, (byte) (state + offset));
        }
        segment.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, sender);
        segment.set(ValueLayout.JAVA_LONG_UNALIGNED, Long.BYTES, number);
        segment.set(ValueLayout.JAVA_LONG_UNALIGNED, 2 * Long.BYTES, segment.byteSize());
        return segment;
    }

    static long sender(MemorySegment message) {
        return message.get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
    }

    static long number(MemorySegment message) {
        return message.get(ValueLayout.JAVA_LONG_UNALIGNED, Long.BYTES);
    }

    /** Copies the start of a message to the heap. */
    static MemorySegment prefix(MemorySegment message) {
        return MemorySegment.ofArray(message.asSlice(0, PREFIX).toArray(ValueLayout.JAVA_BYTE));
    }

    static boolean isIntact(MemorySegment message) {
        return message.byteSize() >= PREFIX
                && message.mismatch(of(sender(message), number(message), message.byteSize())) < 0;
    }
}
