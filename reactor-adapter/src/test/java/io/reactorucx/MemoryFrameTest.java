package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactorucx.core.AtomicWidth;
import io.reactorucx.internal.frame.AtomicRequest;
import io.reactorucx.internal.frame.MemoryFrame;
import io.reactorucx.internal.frame.MemoryReplyStatus;
import io.reactorucx.internal.frame.WindowKey;
import io.reactorucx.memory.ServedMemoryConfig;
import io.reactorucx.memory.WindowDescriptor;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Headers of served memory: what is written is read, and nothing else is a frame. */
class MemoryFrameTest {

    private static final long[] VALUES = {0, 1, -1, Long.MAX_VALUE, Long.MIN_VALUE, 0x0102030405060708L};

    static Stream<MemoryFrame> frames() {
        Stream.Builder<MemoryFrame> frames = Stream.builder();
        for (long value : VALUES) {
            WindowKey key = new WindowKey(value, ~value);
            frames.add(new MemoryFrame.Read((int) value, key, value, -value));
            frames.add(new MemoryFrame.Write((int) value, key, value, 5));
            for (AtomicWidth width : AtomicWidth.values()) {
                MemoryFrame.OPERATIONS.forEach(operation -> frames.add(
                        new MemoryFrame.Atomic((int) value, key, value,
                        new AtomicRequest(operation, width, value, ~value))));
            }
            for (MemoryReplyStatus status : MemoryReplyStatus.values()) {
                frames.add(new MemoryFrame.Reply((int) value, status, MemoryFrame.FIRST_REQUESTS, value));
            }
        }
        return frames.build();
    }

    private static long dataOf(MemoryFrame frame) {
        return frame instanceof MemoryFrame.Write ? 5 : 0;
    }

    @ParameterizedTest
    @MethodSource("frames")
    void frameIsReadAsItWasWritten(MemoryFrame frame) {
        byte[] bytes = Bytes.array(frame.toSegment());

        assertThat(MemoryFrame.parse(frame.toSegment(), dataOf(frame))).isEqualTo(frame);

        assertThat(bytes.length).isLessThanOrEqualTo(MemoryFrame.MAX_BYTES);
        for (int size = 0; size <= bytes.length + 30; size++) {
            if (size != bytes.length) {
                assertThat(MemoryFrame.parse(MemorySegment.ofArray(Arrays.copyOf(bytes, size)), dataOf(frame)))
                        .as(size + " bytes").isNull();
            }
        }
    }

    @Test
    void dataGoesWithWritesAndRepliesOnly() {
        WindowKey key = WindowKey.random();
        assertThat(MemoryFrame.parse(new MemoryFrame.Read(1, key, 0, 1).toSegment(), 1)).isNull();
        assertThat(MemoryFrame.parse(new MemoryFrame.Reply(1, MemoryReplyStatus.OK, 8, 0).toSegment(), 1)).isNotNull();
        assertThat(MemoryFrame.parse(new MemoryFrame.Reply(1, MemoryReplyStatus.NO_RIGHT, 8, 0).toSegment(), 1))
                .isNull();
        for (int limit : new int[] {0, MemoryFrame.FIRST_REQUESTS - 1, ServedMemoryConfig.MAX_REQUESTS + 1, 65_535}) {
            assertThat(MemoryFrame.parse(new MemoryFrame.Reply(1, MemoryReplyStatus.OK, limit, 0).toSegment(), 0))
                    .isNull();
        }
    }

    @Test
    void anyBytesAreAFrameThatSaysTheSameOrNone() {
        Random random = new Random(1);
        int frames = 0;
        for (int i = 0; i < 300_000; i++) {
            byte[] bytes = new byte[random.nextInt(4) == 0 ? random.nextInt(60)
                    : new int[] {MemoryFrame.Read.BYTES, MemoryFrame.Write.BYTES, MemoryFrame.Atomic.BYTES,
                        MemoryFrame.Reply.BYTES}[i % 4]];
            random.nextBytes(bytes);
            if (bytes.length > 1 && random.nextBoolean()) {
                bytes[0] = (byte) (1 + i % 4);
                bytes[1] &= 3;
            }
            MemoryFrame frame = MemoryFrame.parse(MemorySegment.ofArray(bytes), 0);
            if (frame != null) {
                frames++;
                assertThat(Bytes.array(frame.toSegment())).isEqualTo(bytes);
            }
        }
        assertThat(frames).isGreaterThan(1000);
    }

    @Test
    void rightsAreReadAsTheyWereWritten() {
        for (int bits = 0; bits < 256; bits++) {
            byte[] bytes = Descriptors.bytes(WindowKey.random(), 10, bits);
            if (bits >= 1 && bits <= 7) {
                WindowDescriptor read = WindowDescriptor.fromBytes(bytes);
                assertThat(Descriptors.bits(read.rights())).isEqualTo(bits);
                assertThat(read.toBytes()).isEqualTo(bytes);
            } else {
                assertThatThrownBy(() -> WindowDescriptor.fromBytes(bytes))
                        .isInstanceOf(IllegalArgumentException.class);
            }
        }
    }
}
