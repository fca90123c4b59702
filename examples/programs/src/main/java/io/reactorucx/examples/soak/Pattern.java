package io.reactorucx.examples.soak;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Payloads that differ, each generated from a number. */
final class Pattern {

    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private Pattern() {
    }

    /** Fills memory with the pattern of a number. */
    static void fill(MemorySegment memory, long number) {
        long words = memory.byteSize() / Long.BYTES;
        for (long i = 0; i < words; i++) {
            memory.setAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, i, (number + i) * GOLDEN);
        }
        for (long i = words * Long.BYTES; i < memory.byteSize(); i++) {
            memory.set(ValueLayout.JAVA_BYTE, i, (byte) ((number + i) * GOLDEN >>> Long.SIZE - Byte.SIZE));
        }
    }

    /** Returns whether memory holds the pattern of a number. */
    static boolean isIn(MemorySegment memory, long number) {
        long words = memory.byteSize() / Long.BYTES;
        for (long i = 0; i < words; i++) {
            if (memory.getAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, i) != (number + i) * GOLDEN) {
                return false;
            }
        }
        for (long i = words * Long.BYTES; i < memory.byteSize(); i++) {
            if (memory.get(ValueLayout.JAVA_BYTE, i) != (byte) ((number + i) * GOLDEN >>> Long.SIZE - Byte.SIZE)) {
                return false;
            }
        }
        return true;
    }
}
