package io.reactorucx.transport.ring;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactorucx.transport.frame.ProtocolViolationException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Queue;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is written into a ring is read from it: each record once, unchanged, in order, and nothing else. */
class RingTest {

    private static final int RING_BYTES = 4 << 10;
    private static final int SLOTS = RING_BYTES / RingLayout.SLOT_BYTES;
    private static final int MAX_RECORD = (int) RingLayout.maxRecordBytes(RING_BYTES);
    private static final int MAX_DATA = MAX_RECORD - RingLayout.HEAD_BYTES;
    /** Around the ring, to see writes outside. */
    private static final int FENCE_BYTES = 256;
    private static final byte FENCE = 0x5A;

    private final MemorySegment fenced = Arena.ofAuto().allocate(RING_BYTES + 2L * FENCE_BYTES,
            RingLayout.SLOT_BYTES);
    private final MemorySegment ring = fenced.asSlice(FENCE_BYTES, RING_BYTES);
    private long told;
    private final RingWriter writer = new RingWriter(ring, () -> told);
    private final RingReader reader = new RingReader(ring.asReadOnly());
    private final Queue<Message> expected = new ArrayDeque<>();

    /** A record, as it was written. */
    private record Message(int id, byte[] header, byte[] data) {
    }

    private boolean write(int id, int headerBytes, int dataBytes) {
        Message message = new Message(id, likeSequences(headerBytes), likeSequences(dataBytes));
        boolean done = headerBytes == 0 && dataBytes % 2 == 0
                ? writer.write(id, Arrays.copyOf(message.data, dataBytes + 8), dataBytes)
                : writer.write(id, MemorySegment.ofArray(message.header), MemorySegment.ofArray(message.data));
        if (done) {
            expected.add(message);
        }
        assertThat(ring.get(JAVA_LONG, (writer.position() % SLOTS) * RingLayout.SLOT_BYTES))
                .as("the sequence number behind the last record").isZero();
        return done;
    }

    /** Each slot of a payload looks as if it began the record that is next there. */
    private byte[] likeSequences(int bytes) {
        MemorySegment all = Arena.ofAuto().allocate(bytes + 8L, 8);
        for (long at = 0; at + 8 <= bytes; at += 8) {
            all.set(JAVA_LONG, at, writer.position() + 1 + (at + RingLayout.HEAD_BYTES >> RingLayout.SLOT_SHIFT));
        }
        return all.asSlice(0, bytes).toArray(JAVA_BYTE);
    }

    private boolean read() {
        return reader.read((id, bytes, offset, headerBytes, dataBytes) -> {
            Message next = expected.remove();
            MemorySegment memory = bytes.memory();
            assertThat(id).isEqualTo(next.id);
            assertThat(memory.asSlice(offset, headerBytes).toArray(JAVA_BYTE)).isEqualTo(next.header);
            assertThat(memory.asSlice(offset + headerBytes, dataBytes).toArray(JAVA_BYTE)).isEqualTo(next.data);
        });
    }

    private void readAll() {
        while (read()) {
            assertThat(reader.position()).isLessThanOrEqualTo(writer.position());
        }
        told = reader.position();
        assertThat(expected).isEmpty();
        assertThat(reader.hasNext()).isFalse();
        assertThat(reader.position()).isEqualTo(writer.position());
    }

    @Test
    void takesMessagesOfAllSizes() {
        for (int bytes = 0; bytes <= MAX_DATA; bytes++) {
            int headerBytes = bytes / 3;
            assertThat(writer.fits(headerBytes, bytes - headerBytes)).isTrue();
            assertThat(write(bytes % 1024, headerBytes, bytes - headerBytes)).as("%s bytes in an empty ring", bytes)
                    .isTrue();
            readAll();
        }
        assertThat(writer.fits(0, MAX_DATA + 1)).isFalse();
        assertThat(writer.fits(1, MAX_DATA)).isFalse();
        assertThat(writer.fits(0, Integer.MAX_VALUE)).isFalse();
    }

    @Test
    void headerNeverFitsThatItsSizeCannotName() {
        MemorySegment large = Arena.ofAuto().allocate(RingLayout.MIN_BYTES, RingLayout.SLOT_BYTES);
        RingWriter intoLarge = new RingWriter(large, () -> 0);

        assertThat(intoLarge.fits(RingLayout.MAX_HEADER_BYTES, 0)).isTrue();
        assertThat(intoLarge.fits(RingLayout.MAX_HEADER_BYTES + 1, 0)).isFalse();
        MemorySegment header = MemorySegment.ofArray(new byte[RingLayout.MAX_HEADER_BYTES]);
        assertThat(intoLarge.write(0xFFFF, header, MemorySegment.NULL)).isTrue();
        int[] seen = new int[2];
        new RingReader(large).read((id, memory, offset, headerBytes, dataBytes) -> {
            seen[0] = id;
            seen[1] = headerBytes;
        });
        assertThat(seen).containsExactly(0xFFFF, RingLayout.MAX_HEADER_BYTES);
    }

    /** One slot stays free: it has the 0 that says that nothing more is there. */
    @Test
    void isFullWhenOneSlotIsLeft() {
        for (int lap = 0; lap < 3 * SLOTS; lap++) {
            int count = 0;
            while (write(count, 0, 0)) {
                count++;
            }
            assertThat(count).isEqualTo(SLOTS - 1);
            readAll();
            assertThat(write(1, 0, 0)).isTrue();
            readAll();
        }
    }

    /** Also when a filler takes as much as it can. */
    @Test
    void largestMessageGoesIntoAnEmptyRingFromEachSlot() {
        for (int slot = 0; slot < SLOTS; slot++) {
            while (writer.position() % SLOTS != slot) {
                assertThat(write(1, 0, 0)).isTrue();
                readAll();
            }
            assertThat(write(2, 10, MAX_DATA - 10)).as("in slot %s", slot).isTrue();
            readAll();
        }
    }

    /** What a sender awaits before it tries again: else it would try again and again, or not at all. */
    @ParameterizedTest
    @ValueSource(ints = {0, 100, 1000})
    void hasRoomOnceTheRefusedMessageHasIt(int bytes) {
        for (int slot = 0; slot < SLOTS; slot++) {
            while (writer.position() % SLOTS != slot) {
                assertThat(write(1, 0, 0)).isTrue();
                readAll();
            }
            while (write(1, 0, 0)) {
                assertThat(expected.size()).isLessThan(SLOTS);
            }
            boolean written = false;
            while (!written) {
                boolean room = writer.hasRoom();
                written = write(2, 0, bytes);
                assertThat(written).as("from slot %s, with %s of %s slots read", slot, told, writer.position())
                        .isEqualTo(room || expected.isEmpty());
                read();
                told = reader.position();
            }
            readAll();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void keepsTheOrderOfAnyMix(long seed) {
        fenced.fill(FENCE);
        ring.fill((byte) 0);
        Random random = new Random(seed);
        int refused = 0;
        for (int i = 0; i < 20_000; i++) {
            switch (random.nextInt(5)) {
                case 0, 1 -> {
                    int bytes = random.nextInt(3) == 0 ? random.nextInt(MAX_DATA + 1) : random.nextInt(200);
                    int headerBytes = random.nextInt(3) == 0 ? 0 : random.nextInt(bytes + 1);
                    boolean empty = told == writer.position();
                    boolean done = write(random.nextInt(1 << 16), headerBytes, bytes - headerBytes);
                    assertThat(done || !empty).as("refused by an empty ring").isTrue();
                    refused += done ? 0 : 1;
                }
                case 2, 3 -> read();
                default -> told = reader.position();
            }
            assertThat(writer.position() - told).isLessThan(SLOTS);
        }
        readAll();
        assertThat(refused).as("found the ring full").isPositive();
        assertThat(writer.position()).as("laps").isGreaterThan(50L * SLOTS);
        for (long at = 0; at < FENCE_BYTES; at++) {
            assertThat(fenced.get(JAVA_BYTE, at)).isEqualTo(FENCE);
            assertThat(fenced.get(JAVA_BYTE, FENCE_BYTES + RING_BYTES + at)).isEqualTo(FENCE);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, Long.MIN_VALUE, Long.MAX_VALUE, SLOTS})
    void peerThatHasReadWhatWasNotWrittenBreaksTheProtocol(long lie) {
        while (write(1, 0, 0)) {
            assertThat(expected.size()).isLessThan(SLOTS);
        }
        told = lie;

        assertThatThrownBy(() -> write(1, 0, 0)).isInstanceOf(ProtocolViolationException.class);
    }

    @Test
    void peerThatHasReadLessThanBeforeBreaksTheProtocol() {
        while (write(1, 0, 0)) {
            assertThat(expected.size()).isLessThan(SLOTS);
        }
        readAll();
        while (write(1, 0, 0)) {
            assertThat(expected.size()).isLessThan(SLOTS);
        }
        told--;

        assertThatThrownBy(() -> write(1, 0, 0)).isInstanceOf(ProtocolViolationException.class);
    }
}
