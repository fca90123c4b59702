package io.reactorucx.transport.ring;

import io.reactorucx.core.shm.NativeBytes;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;

/** A ring of a few slots, with the position that its reader tells. */
class SmallRing {

    static final long FIRST = 0x1111_1111_1111_1111L;
    static final long SECOND = 0x2222_2222_2222_2222L;

    private static final int ID = 1;

    private final MemorySegment ring;
    private final AtomicLong told = new AtomicLong();
    private final ShownWords words = new ShownWords();
    /** Of the side that sleeps: the reader of records, or the writer that waits for room. */
    private final RingSleep sleep = new RingSleep(words);
    private final RingWriter writer;
    private final RingReader reader;
    private long value;

    /** Two words of one side. */
    private static final class ShownWords implements RingSleep.Words {

        private final AtomicLong asleep = new AtomicLong();
        private final AtomicLong waits = new AtomicLong();

        private AtomicLong at(int index) {
            return index == RingLayout.SLEEP_WORD ? asleep : waits;
        }

        @Override
        public long getAcquire(int index) {
            return at(index).getAcquire();
        }

        @Override
        public void setRelease(int index, long value) {
            at(index).setRelease(value);
        }
    }

    SmallRing(int slots) {
        ring = Arena.ofAuto().allocate((long) slots * RingLayout.SLOT_BYTES, RingLayout.SLOT_BYTES);
        writer = new RingWriter(ring, told::getAcquire);
        reader = new RingReader(ring);
    }

    /** Writes a record that has a value before and behind it, in so many slots; false for no room. */
    final boolean write(long written, int slots) {
        long[] data = new long[(slots * RingLayout.SLOT_BYTES - RingLayout.HEAD_BYTES) / Long.BYTES - 1];
        data[0] = written;
        data[data.length - 1] = written;
        return writer.write(ID, MemorySegment.ofArray(new long[] {written}), MemorySegment.ofArray(data));
    }

    /** Returns the value of the next record, 0 for none, -1 for a record in which it is not whole. */
    final long read() {
        value = 0;
        reader.read(this::take);
        return value;
    }

    private void take(int id, NativeBytes from, long offset, int headerBytes, int dataBytes) {
        long first = from.get(offset);
        long second = from.get(offset + headerBytes);
        long last = from.get(offset + headerBytes + dataBytes - Long.BYTES);
        value = id == ID && headerBytes == Long.BYTES && first == second && second == last ? first : -1;
    }

    /** Returns whether {@link #read} would find a record. */
    final boolean hasNext() {
        return reader.hasNext();
    }

    /** Returns whether there is room for the record that was refused last. */
    final boolean hasRoom() {
        return writer.hasRoom();
    }

    /** The writer may use again what was read. */
    final void tell() {
        told.setRelease(reader.position());
    }

    final void tellAsleep(boolean waitsForReader) {
        sleep.tellAsleep(waitsForReader);
    }

    /** Returns whether the side that sleeps is to be woken. */
    final boolean wakes(boolean records) {
        return RingSleep.toBeWoken(words, records) != 0;
    }
}
