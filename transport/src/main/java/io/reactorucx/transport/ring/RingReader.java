package io.reactorucx.transport.ring;

import io.reactorucx.core.shm.NativeBytes;
import io.reactorucx.transport.frame.ProtocolViolationException;
import java.lang.foreign.MemorySegment;

/**
 * Reads the records of a ring of the peer, which may write anything at any time: each number is read once, and checked.
 *
 * <p>Thread: engine.
 */
final class RingReader {

    private final NativeBytes ring;
    private final long slots;
    private final long maxRecordBytes;
    private long position;

    /**
     * Creates a reader of a ring from which nothing was read yet.
     *
     * @param ring read-only memory, whose size {@link RingLayout#isSize}
     */
    RingReader(MemorySegment ring) {
        this.ring = new NativeBytes(ring);
        this.slots = ring.byteSize() >> RingLayout.SLOT_SHIFT;
        this.maxRecordBytes = RingLayout.maxRecordBytes(ring.byteSize());
    }

    /** Takes the records. */
    @FunctionalInterface
    interface Target {

        /**
         * A message has come. Its bytes may change meanwhile, if the peer does so.
         *
         * @param offset where the header begins, with the data behind it
         */
        void record(int id, NativeBytes ring, long offset, int headerBytes, int dataBytes);
    }

    /** Returns whether something can be read. */
    boolean hasNext() {
        return ring.getAcquire(at()) != 0;
    }

    private long at() {
        return (position & slots - 1) << RingLayout.SLOT_SHIFT;
    }

    /**
     * Reads one message.
     *
     * @return false if there was none
     * @throws ProtocolViolationException for what is no record
     */
    boolean read(Target target) {
        long at = at();
        long sequence = ring.getAcquire(at);
        if (sequence == 0) {
            return false;
        }
        if (sequence != position + 1) {
            throw new ProtocolViolationException("record " + sequence + " of a ring where " + (position + 1)
                    + " is next");
        }
        long toEnd = ring.size() - at;
        long numbers = ring.get(at + RingLayout.NUMBERS_AT);
        int dataBytes = RingLayout.dataBytes(numbers);
        if (dataBytes == RingLayout.FILLER) {
            if (at == 0) {
                throw new ProtocolViolationException("a filler at the start of a ring");
            }
            position += toEnd >> RingLayout.SLOT_SHIFT;
            return read(target); // At the start, where no filler follows.
        }
        int headerBytes = RingLayout.headerBytes(numbers);
        long size = (long) RingLayout.HEAD_BYTES + headerBytes + dataBytes;
        if (dataBytes < 0 || size > maxRecordBytes || size > toEnd) {
            throw new ProtocolViolationException("a record of a ring with " + headerBytes + " bytes of header and "
                    + dataBytes + " of data, " + toEnd + " bytes before its end");
        }
        position += RingLayout.slots(size);
        target.record(RingLayout.id(numbers), ring, at + RingLayout.HEAD_BYTES, headerBytes, dataBytes);
        return true;
    }

    /** Returns the slots that were read since the ring was made. */
    long position() {
        return position;
    }
}
