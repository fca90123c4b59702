package io.reactorucx.examples.soak;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Payloads that can be told apart: each made from a number of its own. */
final class Pattern {

    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private Pattern() {
    }

    /** Fills memory with what belongs to a number. */
    static void fill(MemorySegment memory, long number) {
        long words = memory.byteSize() / Long.BYTES;
        for (long i = 0; i < words; i++) {
            memory.setAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, i, (number + i) * GOLDEN);
        }
        for (long i = words * Long.BYTES; i < memory.byteSize(); i++) {
            memory.set(ValueLayout.JAVA_BYTE, i, (byte) ((number + i) * GOLDEN >>> Long.SIZE - Byte.SIZE));
        }
    }

    /** Whether memory still holds what belongs to a number. */
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
