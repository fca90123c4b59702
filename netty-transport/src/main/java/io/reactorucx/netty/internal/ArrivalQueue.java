package io.reactorucx.netty.internal;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a stream that have arrived, by their offset: UCX delivers a large message after a small one that was
 * sent behind it. Holds at most what the peer was allowed to send, in buffers of no more than a small multiple of it,
 * however small the pieces are: what follows each other shares buffers, and the pieces ahead are limited.
 *
 * <p>Thread: loop.
 */
final class ArrivalQueue {

    /** Data that arrives while other data waits is gathered in buffers of this size. */
    private static final int GATHERED_BYTES = 4096;
    /** Pieces that may be ahead of the next byte, small ones that follow each other counted as one. */
    private static final int MIN_EARLY = 16;
    private static final int MAX_EARLY = 1 << 16;
    /** One more piece may be ahead for so many bytes of the window; offered and gathered ones are larger. */
    private static final int BYTES_PER_EARLY = 1024;

    private final Queue<ByteBuf> ready = new ArrayDeque<>(4);
    /** By their offsets. */
    private final List<Arrival> early = new ArrayList<>(0);
    private final int maxEarly;
    /** The last of those that are ready, if it may be written to. */
    private @Nullable ByteBuf last;
    private int readyBytes;
    /** Offset behind the last byte that is ready, modulo 2^32. */
    private int next;
    /** Offset behind the last byte that was read, modulo 2^32. */
    private int read;

    /**
     * An empty queue.
     *
     * @param window bytes that it may hold
     */
    ArrivalQueue(int window) {
        maxEarly = Math.min(MIN_EARLY + window / BYTES_PER_EARLY, MAX_EARLY);
    }

    /** Data whose offset is past the next one, or that is still being fetched. */
    private static final class Arrival {

        private final int offset;
        private int length;
        private @Nullable ByteBuf data;

        Arrival(int offset, int length) {
            this.offset = offset;
            this.length = length;
        }

        int end() {
            return offset + length;
        }
    }

    /** Returns whether the bytes may come: within the credit, and none of them is here already. */
    boolean accepts(int offset, int length, int limit) {
        int ahead = offset - next;
        if (length <= 0 || ahead < 0 || limit - next < 0 || ahead > limit - next || length > limit - next - ahead) {
            return false;
        }
        int behind = placeOf(offset);
        return (ahead == 0 || early.size() < maxEarly)
                && (behind == 0 || early.get(behind - 1).end() - offset <= 0)
                && (behind == early.size() || early.get(behind).offset - (offset + length) >= 0);
    }

    /** Returns how many of the early arrivals begin before an offset: nearly always all. */
    private int placeOf(int offset) {
        int low = 0;
        int high = early.size();
        if (high > 0 && early.getLast().offset - offset < 0) {
            return high;
        }
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (early.get(middle).offset - offset < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Copies bytes: to the end of the last buffer, if they follow what is in it and it has room, else to a new one. */
    void copy(int offset, byte[] bytes, int from, int length, ByteBufAllocator allocator) {
        if (offset == next) {
            ByteBuf tail = gathering(length);
            if (tail == null) {
                add(offset, made(bytes, from, length, allocator));
                return;
            }
            tail.writeBytes(bytes, from, length);
            gathered(length);
            if (!early.isEmpty()) {
                complete();
            }
            return;
        }
        ByteBuf tail = gatheringEarly(offset, length);
        if (tail == null) {
            add(offset, made(bytes, from, length, allocator));
        } else {
            tail.writeBytes(bytes, from, length);
            early.getLast().length += length;
        }
    }

    private ByteBuf made(byte[] bytes, int from, int length, ByteBufAllocator allocator) {
        int capacity = readyBytes == 0 && early.isEmpty() ? length : Math.max(length, GATHERED_BYTES);
        return allocator.directBuffer(capacity, capacity).writeBytes(bytes, from, length);
    }

    /** Adds data, which it releases. What follows it may be written to the end of the buffer. */
    void add(int offset, ByteBuf data) {
        if (offset != next) {
            arrived(reserve(offset, data.readableBytes()), data);
            return;
        }
        append(data);
        if (!early.isEmpty()) {
            complete();
        }
    }

    /** Returns a buffer at whose end the next bytes may be written, null if there is none. */
    private @Nullable ByteBuf gathering(int length) {
        ByteBuf tail = last;
        return tail != null && tail.writableBytes() >= length ? tail : null;
    }

    private void gathered(int length) {
        readyBytes += length;
        next += length;
    }

    private void append(ByteBuf data) {
        ready.add(data);
        last = data;
        gathered(data.readableBytes());
    }

    /** Reserves the place of bytes whose data comes by {@link #arrived}. */
    Object reserve(int offset, int length) {
        Arrival reserved = new Arrival(offset, length);
        early.add(placeOf(offset), reserved);
        return reserved;
    }

    /** Returns a buffer at whose end early bytes may be written, behind those that came before them; null for none. */
    private @Nullable ByteBuf gatheringEarly(int offset, int length) {
        Arrival latest = early.isEmpty() ? null : early.getLast();
        ByteBuf data = latest == null ? null : latest.data;
        return latest != null && data != null && latest.end() == offset && data.writableBytes() >= length
                && data.capacity() == GATHERED_BYTES ? data : null;
    }

    /** The data of a reserved place is here. */
    void arrived(Object place, ByteBuf data) {
        ((Arrival) place).data = data;
        complete();
    }

    /** Makes the early data ready that follows the last ready byte. */
    private void complete() {
        int complete = 0;
        while (complete < early.size() && early.get(complete).offset == next) {
            ByteBuf first = early.get(complete).data;
            if (first == null) {
                break;
            }
            ByteBuf tail = gathering(first.readableBytes());
            if (tail == null) {
                append(first);
            } else {
                // Else each of many small pieces would keep a buffer.
                gathered(first.readableBytes());
                tail.writeBytes(first);
                first.release();
            }
            complete++;
        }
        early.subList(0, complete).clear();
    }

    int readyBytes() {
        return readyBytes;
    }

    /** Returns the offset behind the last byte that is ready, modulo 2^32. */
    int next() {
        return next;
    }

    /** Returns the offset behind the last byte that has come, or is being fetched, modulo 2^32. */
    int end() {
        return early.isEmpty() ? next : early.getLast().end();
    }

    /** Returns the offset behind the last byte that was read, modulo 2^32. */
    int read() {
        return read;
    }

    /** Returns the next bytes, at most a number of them, as the caller's buffer; null if there are none. */
    @Nullable ByteBuf read(int most) {
        ByteBuf first = ready.peek();
        if (first == null) {
            return null;
        }
        int length = Math.min(most, first.readableBytes());
        readyBytes -= length;
        read += length;
        if (length < first.readableBytes()) {
            if (last == first) {
                // A buffer of which a slice is handed out must not be written to.
                last = null;
            }
            return first.readRetainedSlice(length);
        }
        ready.remove();
        if (last == first) {
            last = null;
        }
        return first;
    }

    /** Drops what is ready, as if it had been read. Returns whether there was something. */
    boolean skip() {
        boolean any = readyBytes > 0;
        for (ByteBuf data = read(Integer.MAX_VALUE); data != null; data = read(Integer.MAX_VALUE)) {
            data.release();
        }
        return any;
    }

    /** Drops all. */
    void clear() {
        skip();
        for (Arrival place : early) {
            if (place.data != null) {
                place.data.release();
            }
        }
        early.clear();
    }

    /** Returns whether data is missing or still being fetched before an offset. */
    boolean isWaitingBefore(int offset) {
        return next != offset;
    }
}
