package io.reactorucx.rdma;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Bytes that differ by place and by seed, and their comparison. */
final class Contents {

    private static final long STEP = 0x9E3779B97F4A7C15L;

    private Contents() {
    }

    static MemorySegment of(long seed, long bytes) {
        MemorySegment segment = empty(bytes);
        for (long i = 0; i < bytes >>> 3; i++) {
            segment.setAtIndex(ValueLayout.JAVA_LONG, i, seed + (i + 1) * STEP);
        }
        for (long i = bytes & ~7L; i < bytes; i++) {
            segment.set(ValueLayout.JAVA_BYTE, i, (byte) (seed + i));
        }
        return segment;
    }

    static MemorySegment empty(long bytes) {
        return Arena.ofAuto().allocate(Math.max(1, bytes), 8).asSlice(0, bytes);
    }

    static void requireSame(MemorySegment actual, MemorySegment expected) {
        if (actual.byteSize() != expected.byteSize()) {
            throw new AssertionError(actual.byteSize() + " bytes instead of " + expected.byteSize());
        }
        long place = actual.mismatch(expected);
        if (place != -1) {
            throw new AssertionError("byte " + place + " of " + expected.byteSize() + " differs");
        }
    }
}
