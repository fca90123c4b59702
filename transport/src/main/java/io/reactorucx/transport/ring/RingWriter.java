package io.reactorucx.transport.ring;

import io.reactorucx.core.shm.NativeBytes;
import io.reactorucx.transport.frame.ProtocolViolationException;
import java.lang.foreign.MemorySegment;
import java.util.function.LongSupplier;

/**
 * Writes records into a ring of this process.
 *
 * <p>Thread: engine.
 */
final class RingWriter {

    private final NativeBytes ring;
    private final LongSupplier readByPeer;
    private final long slots;
    private final long maxRecordBytes;
    private long position;
    /** What the peer had read when that was last looked up. */
    private long read;
    /** The slots that the message needed which was refused last. */
    private long refused;

    /**
     * Creates a writer of an empty ring.
     *
     * @param ring zeroed memory, whose size {@link RingLayout#isSize}
     * @param readByPeer the number of slots that the peer says it has read
     */
    RingWriter(MemorySegment ring, LongSupplier readByPeer) {
        this.ring = new NativeBytes(ring);
        this.readByPeer = readByPeer;
        this.slots = ring.byteSize() >> RingLayout.SLOT_SHIFT;
        this.maxRecordBytes = RingLayout.maxRecordBytes(ring.byteSize());
    }

    /** Returns whether a message can have a record, however empty the ring is. */
    boolean fits(long headerBytes, long dataBytes) {
        return headerBytes <= RingLayout.MAX_HEADER_BYTES
                && RingLayout.HEAD_BYTES + headerBytes + dataBytes <= maxRecordBytes;
    }

    /**
     * Writes a message that {@link #fits}.
     *
     * @return false while there is no room
     * @throws ProtocolViolationException if the peer says that it has read what was not written
     */
    boolean write(int id, MemorySegment header, MemorySegment data) {
        long headerBytes = header.byteSize();
        long at = begin(id, headerBytes, data.byteSize());
        if (at < 0) {
            return false;
        }
        ring.copyFrom(header, at + RingLayout.HEAD_BYTES);
        ring.copyFrom(data, at + RingLayout.HEAD_BYTES + headerBytes);
        end(at, headerBytes + data.byteSize());
        return true;
    }

    /** As {@link #write(int, MemorySegment, MemorySegment)}, without a header, for the first bytes of an array. */
    boolean write(int id, byte[] data, int bytes) {
        long at = begin(id, 0, bytes);
        if (at < 0) {
            return false;
        }
        ring.copyFrom(data, bytes, at + RingLayout.HEAD_BYTES);
        end(at, bytes);
        return true;
    }

    /** Begins a record, and returns where it is, -1 while there is no room. */
    private long begin(int id, long headerBytes, long dataBytes) {
        long needed = RingLayout.slots(RingLayout.HEAD_BYTES + headerBytes + dataBytes);
        long index = position & slots - 1;
        long filler = needed > slots - index ? slots - index : 0;
        // One more: the sequence number of the next record is cleared before this one is seen.
        if (!hasRoom(filler + needed + 1)) {
            return -1;
        }
        if (filler > 0) {
            clear(0);
            fill(index);
            position += filler;
            index = 0;
        }
        clear(index + needed & slots - 1);
        long at = index << RingLayout.SLOT_SHIFT;
        ring.set(at + RingLayout.NUMBERS_AT, RingLayout.numbers(id, headerBytes, dataBytes));
        return at;
    }

    private void end(long at, long bytes) {
        publish(at);
        position += RingLayout.slots(RingLayout.HEAD_BYTES + bytes);
    }

    /** Returns whether there is room by now for the message that was refused last. */
    boolean hasRoom() {
        return position + refused - readByPeer.getAsLong() <= slots;
    }

    private boolean hasRoom(long wanted) {
        if (position + wanted - read <= slots) {
            return true;
        }
        long now = readByPeer.getAsLong();
        if (now < read || now > position) {
            throw new ProtocolViolationException("the peer says that it has read " + now + " slots of a ring, of which "
                    + read + " to " + position + " can have been read");
        }
        read = now;
        refused = wanted;
        return position + wanted - now <= slots;
    }

    private void fill(long index) {
        long at = index << RingLayout.SLOT_SHIFT;
        ring.set(at + RingLayout.NUMBERS_AT, (long) RingLayout.FILLER);
        publish(at);
    }

    private void clear(long index) {
        ring.set(index << RingLayout.SLOT_SHIFT, 0);
    }

    /** The record is seen from here on. */
    private void publish(long at) {
        ring.setRelease(at, position + 1);
    }

    /** Returns the slots that were written since the ring was made. */
    long position() {
        return position;
    }
}
