package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.message.ActiveMessage;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Objects;

/** Contents of messages: different for each seed and at each place, so that what is lost, doubled or moved shows. */
final class Bytes {

    static final int KIB = 1 << 10;
    static final int MIB = 1 << 20;

    private Bytes() {
    }

    static MemorySegment zeroed(long size) {
        return Arena.ofAuto().allocate(Math.max(1, size), Long.BYTES).asSlice(0, size);
    }

    static MemorySegment pattern(long seed, long size) {
        return fill(zeroed(size), seed);
    }

    static MemorySegment fill(MemorySegment segment, long seed) {
        long state = seed * 0x9E3779B97F4A7C15L + 1;
        long offset = 0;
        for (; offset + Long.BYTES <= segment.byteSize(); offset += Long.BYTES) {
            state = state * 6364136223846793005L + 1442695040888963407L;
            segment.set(ValueLayout.JAVA_LONG_UNALIGNED, offset, state ^ state >>> 33);
        }
        for (; offset < segment.byteSize(); offset++) {
            segment.set(ValueLayout.JAVA_BYTE, offset, (byte) (seed + offset + 1));
        }
        return segment;
    }

    static void assertSame(MemorySegment actual, MemorySegment expected) {
        assertThat(actual.byteSize()).as("size").isEqualTo(expected.byteSize());
        assertThat(actual.mismatch(expected)).as("first byte that differs").isEqualTo(-1);
    }

    /** The data of a message, fetched if it has to be. */
    static MemorySegment of(ActiveMessage message) {
        return message.hasData() ? message.data()
                : Objects.requireNonNull(message.fetch(zeroed(message.length())).block(Waits.PATIENCE));
    }

    static byte[] array(MemorySegment segment) {
        return segment.toArray(ValueLayout.JAVA_BYTE);
    }

    static byte[] sha256(MemorySegment memory) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(memory.asByteBuffer());
            return digest.digest();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
