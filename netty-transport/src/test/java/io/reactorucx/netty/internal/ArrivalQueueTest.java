package io.reactorucx.netty.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ArrivalQueueTest {

    private static final int LIMIT = 1 << 20;

    private final ArrivalQueue queue = new ArrivalQueue(LIMIT);

    private static ByteBuf bytes(int first, int count) {
        ByteBuf made = Unpooled.buffer(count);
        for (int i = 0; i < count; i++) {
            made.writeByte(first + i);
        }
        return made;
    }

    @Test
    void readsInTheOrderOfOffsetsWhateverComesFirst() {
        Random random = new Random(1);
        for (int round = 0; round < 200; round++) {
            int start = queue.next();
            List<Integer> cuts = new ArrayList<>(List.of(0));
            while (cuts.getLast() < 1000) {
                cuts.add(Math.min(1000, cuts.getLast() + 1 + random.nextInt(200)));
            }
            List<Integer> order = new ArrayList<>();
            for (int i = 0; i + 1 < cuts.size(); i++) {
                order.add(i);
            }
            Collections.shuffle(order, random);
            for (int i : order) {
                int length = cuts.get(i + 1) - cuts.get(i);
                int offset = start + cuts.get(i);
                assertThat(queue.accepts(offset, length, start + 1000)).isTrue();
                queue.arrived(queue.reserve(offset, length), bytes(offset, length));
            }
            for (int at = start; at != start + 1000;) {
                ByteBuf data = queue.read(1 + random.nextInt(300));
                assertThat(data).isNotNull();
                while (data.isReadable()) {
                    assertThat(data.readByte()).isEqualTo((byte) at++);
                }
                data.release();
            }
            assertThat(queue.read(1)).isNull();
        }
    }

    @Test
    void refusesWhatIsBeforeBehindOrThereAlready() {
        assertThat(queue.accepts(-1, 1, LIMIT)).isFalse();
        assertThat(queue.accepts(0, 0, LIMIT)).isFalse();
        assertThat(queue.accepts(0, -1, LIMIT)).isFalse();
        assertThat(queue.accepts(0, LIMIT, LIMIT)).isTrue();
        assertThat(queue.accepts(0, LIMIT + 1, LIMIT)).isFalse();
        assertThat(queue.accepts(LIMIT - 1, 2, LIMIT)).isFalse();
        assertThat(queue.accepts(LIMIT, 1, LIMIT)).isFalse();
        assertThat(queue.accepts(1, Integer.MAX_VALUE, LIMIT)).isFalse();

        queue.reserve(100, 50);
        assertThat(queue.accepts(100, 50, LIMIT)).isFalse();
        assertThat(queue.accepts(99, 2, LIMIT)).isFalse();
        assertThat(queue.accepts(149, 1, LIMIT)).isFalse();
        assertThat(queue.accepts(120, 1, LIMIT)).isFalse();
        assertThat(queue.accepts(50, 200, LIMIT)).isFalse();
        assertThat(queue.accepts(50, 50, LIMIT)).isTrue();
        assertThat(queue.accepts(150, 50, LIMIT)).isTrue();
    }

    @Test
    void offsetsGoOnBehindTheLargestNumber() {
        ByteBuf large = Unpooled.wrappedBuffer(new byte[1 << 20]);
        for (int i = 0; i < (1 << 12) + 1; i++) {
            int offset = queue.next();
            assertThat(queue.accepts(offset, 1 << 20, offset + LIMIT)).isTrue();
            queue.add(offset, large.retainedDuplicate());
            queue.read(1 << 20).release();
        }
        assertThat(queue.next()).isEqualTo(1 << 20);
        assertThat(queue.read()).isEqualTo(1 << 20);
    }

    @Test
    void smallDataIsGatheredAndWhatWasHandedOutStays() {
        queue.add(0, Unpooled.buffer(64).writeBytes(bytes(0, 8)));
        ByteBuf first = queue.read(4);
        assertThat(copy(queue, 8, 8)).as("behind a buffer of which a part was handed out").isNotNull();
        assertThat(copy(queue, 16, 8)).as("behind a buffer with room").isNull();

        assertThat(queue.readyBytes()).isEqualTo(20);
        assertThat(first).isEqualTo(bytes(0, 4));
        assertThat(queue.read(100)).isEqualTo(bytes(4, 4));
        assertThat(queue.read(100)).isEqualTo(bytes(8, 16));
        assertThat(queue.read()).isEqualTo(24);
    }

    /** Copies bytes to a queue, and returns the buffer that was made for them, null for none. */
    private static @Nullable ByteBuf copy(ArrivalQueue target, int offset, int length) {
        Allocator made = new Allocator();
        byte[] source = new byte[length + 3];
        bytes(offset, length).readBytes(source, 3, length);
        target.copy(offset, source, 3, length, made);
        return made.last;
    }

    /** Keeps what it has made last. */
    private static final class Allocator extends AbstractByteBufAllocator {

        private @Nullable ByteBuf last;

        @Override
        protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
            throw new UnsupportedOperationException();
        }

        @Override
        protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
            ByteBuf made = Unpooled.buffer(initialCapacity, maxCapacity);
            last = made;
            return made;
        }

        @Override
        public boolean isDirectBufferPooled() {
            return false;
        }
    }

    @Test
    void piecesAheadAreLimitedAndSmallOnesThatFollowEachOtherCountAsOne() {
        queue.reserve(1, 1);
        assertThat(copy(queue, 2, 1)).isNotNull();
        for (int i = 3; i < 4000; i++) {
            assertThat(copy(queue, i, 1)).as("at %s", i).isNull();
        }
        assertThat(queue.accepts(3999, 1, LIMIT)).as("bytes that are there already").isFalse();
        int pieces = 2;
        for (int i = 5000; queue.accepts(i, 1, LIMIT); i += 2) {
            queue.reserve(i, 1);
            pieces++;
        }
        assertThat(pieces).isEqualTo(16 + LIMIT / 1024);
        assertThat(queue.accepts(0, 1, LIMIT)).as("the next byte").isTrue();
    }

    /** However small the pieces are, and in whatever order they come. */
    @Test
    void buffersTakeASmallMultipleOfTheWindow() {
        for (int window : new int[] {4 << 10, 64 << 10}) {
            for (int step : new int[] {1, 2, 3, 64}) {
                assertThat(capacityHeld(window, step, false)).as("%s B, %s at a time, each behind the next", window,
                        step).isLessThan(8L * window + (128 << 10));
                assertThat(capacityHeld(window, step, true)).as("%s B, %s at a time, with one far ahead", window,
                        step).isLessThan(8L * window + (128 << 10));
            }
        }
    }

    /** Fills a window by pieces of one byte, and returns the capacity of what was allocated for it and not released. */
    private static long capacityHeld(int window, int step, boolean farAhead) {
        ArrivalQueue filled = new ArrivalQueue(window);
        List<ByteBuf> made = new ArrayList<>();
        if (farAhead) {
            take(filled, window - 1, made);
        }
        int end = farAhead ? window - 1 : window;
        for (int i = 0; i + step <= end; i += step) {
            // The peer breaks the protocol with the first piece that is refused.
            for (int j = i + step - 1; j >= i && filled.accepts(j, 1, window); j--) {
                take(filled, j, made);
            }
        }
        long held = made.stream().filter(each -> each.refCnt() > 0).mapToLong(ByteBuf::capacity).sum();
        filled.clear();
        assertThat(made).allSatisfy(each -> assertThat(each.refCnt()).isZero());
        return held;
    }

    private static void take(ArrivalQueue target, int offset, List<ByteBuf> made) {
        ByteBuf piece = copy(target, offset, 1);
        if (piece != null) {
            made.add(piece);
        }
    }

    @Test
    void clearReleasesAll() {
        ByteBuf ready = bytes(0, 8);
        ByteBuf early = bytes(20, 8);
        queue.add(0, ready);
        queue.add(20, early);

        queue.clear();

        assertThat(ready.refCnt()).isZero();
        assertThat(early.refCnt()).isZero();
    }
}
