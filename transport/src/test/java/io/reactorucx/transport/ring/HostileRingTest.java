package io.reactorucx.transport.ring;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactorucx.core.shm.NativeBytes;
import io.reactorucx.transport.frame.ProtocolViolationException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A peer writes into its ring what it wants, when it wants: what is read is within the ring, or no record. */
class HostileRingTest {

    private static final int RING_BYTES = 4 << 10;
    private static final int SLOTS = RING_BYTES / RingLayout.SLOT_BYTES;
    private static final int MAX_RECORD = (int) RingLayout.maxRecordBytes(RING_BYTES);

    private final MemorySegment ring = Arena.ofShared().allocate(RING_BYTES, RingLayout.SLOT_BYTES);
    private RingReader reader = new RingReader(ring.asReadOnly());
    private int records;

    /** Reads everything of a record, as its receiver does. */
    private void record(int id, NativeBytes memory, long offset, int headerBytes, int dataBytes) {
        records++;
        assertThat(id).isBetween(0, 0xFFFF);
        assertThat(headerBytes).isNotNegative();
        assertThat(dataBytes).isNotNegative();
        assertThat(RingLayout.HEAD_BYTES + headerBytes + dataBytes).isLessThanOrEqualTo(MAX_RECORD);
        assertThat(memory.memory().asSlice(offset, headerBytes + dataBytes).toArray(JAVA_BYTE))
                .hasSize(headerBytes + dataBytes);
    }

    /** A record as the peer wants it, where the next one is read. */
    private void put(long sequence, int id, int headerBytes, int dataBytes) {
        long at = (reader.position() % SLOTS) * RingLayout.SLOT_BYTES;
        ring.set(JAVA_INT, at + RingPair.DATA_BYTES_AT, dataBytes);
        ring.set(JAVA_SHORT, at + RingPair.ID_AT, (short) id);
        ring.set(JAVA_SHORT, at + RingPair.HEADER_BYTES_AT, (short) headerBytes);
        new NativeBytes(ring).setRelease(at, sequence);
    }

    private void assertViolation() {
        assertThatThrownBy(() -> reader.read(this::record)).isInstanceOf(ProtocolViolationException.class);
        assertThat(records).isZero();
        assertThatThrownBy(() -> reader.read(this::record)).as("the same again")
                .isInstanceOf(ProtocolViolationException.class);
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 2, 64, 65, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 32 | 1, 1L << 56})
    void otherSequenceNumberIsNoRecord(long sequence) {
        put(sequence, 1, 0, 8);
        assertViolation();
    }

    @ParameterizedTest
    @CsvSource({"0, 2033", "2033, 0", "65535, 0", "65535, 2147483647", "0, 2147483647", "0, -2", "20, -2",
        "65535, -65535", "0, -2147483648", "1, 2032"})
    void sizeBeyondTheLargestRecordIsNone(int headerBytes, int dataBytes) {
        put(1, 1, headerBytes, dataBytes);
        assertViolation();
    }

    @Test
    void fillerAtTheStartIsNoRecord() {
        put(1, 1, 0, RingLayout.FILLER);
        assertViolation();
    }

    @Test
    void recordBeyondTheEndIsNone() {
        for (int i = 1; i < SLOTS; i++) {
            put(i, 1, 0, 0);
            assertThat(reader.read(this::record)).isTrue();
        }
        records = 0;
        put(SLOTS, 1, 0, RingLayout.SLOT_BYTES - RingLayout.HEAD_BYTES + 1);
        assertViolation();
    }

    @Test
    void fillerAfterAFillerIsNoRecord() {
        put(1, 1, 0, 0);
        assertThat(reader.read(this::record)).isTrue();
        records = 0;
        MemorySegment start = ring.asSlice(0, RingLayout.SLOT_BYTES);
        start.set(JAVA_INT, RingPair.DATA_BYTES_AT, RingLayout.FILLER);
        start.set(JAVA_LONG, 0, SLOTS + 1);
        put(2, 1, 0, RingLayout.FILLER);
        assertViolation();
    }

    @Test
    void fillerAloneIsNoMessage() {
        put(1, 1, 0, 0);
        assertThat(reader.read(this::record)).isTrue();
        ring.set(JAVA_LONG, 0, 0);
        put(2, 1, 0, RingLayout.FILLER);
        assertThat(reader.read(this::record)).isFalse();
        assertThat(reader.position()).isEqualTo(SLOTS);
        assertThat(records).isOne();
        put(SLOTS + 1, 1, 0, 8);
        assertThat(reader.read(this::record)).isTrue();
    }

    /** Any bytes, and good records with one field that lies. */
    @Test
    void readsOnlyWithinTheRingWhateverItHas() {
        int violations = 0;
        for (long seed = 0; seed < 5_000; seed++) {
            Random random = new Random(seed);
            reader = new RingReader(ring.asReadOnly());
            ring.fill((byte) 0);
            RingWriter writer = new RingWriter(ring, () -> reader.position());
            try {
                for (int i = 0; i < 20; i++) {
                    int bytes = random.nextInt(MAX_RECORD - RingLayout.HEAD_BYTES);
                    int headerBytes = random.nextInt(bytes + 1);
                    byte[] payload = new byte[bytes];
                    random.nextBytes(payload);
                    MemorySegment all = MemorySegment.ofArray(payload);
                    writer.write(random.nextInt(), all.asSlice(0, headerBytes), all.asSlice(headerBytes));
                    if (random.nextInt(4) == 0) {
                        lie(random);
                    }
                    for (int reads = 0; reader.read(this::record); reads++) {
                        assertThat(reads).as("reads of %s slots", SLOTS).isLessThan(4 * SLOTS);
                    }
                }
            } catch (ProtocolViolationException e) {
                violations++;
            }
        }
        assertThat(violations).isBetween(1000, 5_000);
        assertThat(records).isGreaterThan(5_000);
    }

    private void lie(Random random) {
        long next = (reader.position() % SLOTS) * RingLayout.SLOT_BYTES;
        switch (random.nextInt(6)) {
            case 0 -> ring.set(JAVA_INT, next + RingPair.DATA_BYTES_AT, random.nextInt());
            case 1 -> ring.set(JAVA_SHORT, next + RingPair.HEADER_BYTES_AT, (short) random.nextInt());
            case 2 -> ring.set(JAVA_LONG, next, reader.position() + random.nextInt(4));
            case 3 -> ring.set(JAVA_INT, next + RingPair.DATA_BYTES_AT, RingLayout.FILLER);
            case 4 -> ring.set(JAVA_INT, next + RingPair.DATA_BYTES_AT, random.nextInt(2 * MAX_RECORD));
            default -> {
                byte[] any = new byte[RingLayout.SLOT_BYTES];
                random.nextBytes(any);
                MemorySegment.copy(any, 0, ring, JAVA_BYTE, random.nextInt(SLOTS) * (long) any.length, any.length);
            }
        }
    }

    /** Sizes that change between two looks at them would be read twice. */
    @Test
    void readsOnlyWithinTheRingWhileItChanges() throws InterruptedException {
        AtomicBoolean done = new AtomicBoolean();
        Thread hostile = new Thread(() -> {
            Random random = new Random(1);
            while (!done.get()) {
                long at = random.nextInt(SLOTS) * (long) RingLayout.SLOT_BYTES;
                ring.set(JAVA_INT, at + RingPair.DATA_BYTES_AT, random.nextInt(6) == 0 ? random.nextInt() : 40);
                ring.set(JAVA_SHORT, at + RingPair.HEADER_BYTES_AT, (short) (random.nextBoolean() ? -1 : 8));
            }
        }, "hostile");
        hostile.setDaemon(true);
        hostile.start();
        int violations = 0;
        for (int i = 0; i < 200_000; i++) {
            long position = reader.position();
            new NativeBytes(ring).setRelease((position % SLOTS) * RingLayout.SLOT_BYTES, position + 1);
            try {
                assertThat(reader.read(this::record)).isTrue();
                assertThat(reader.position()).isBetween(position + 1, position + SLOTS);
            } catch (ProtocolViolationException e) {
                violations++;
                assertThat(reader.position()).isEqualTo(position);
            }
        }
        done.set(true);
        hostile.join();
        assertThat(violations).isPositive();
        assertThat(records).isPositive();
    }
}
