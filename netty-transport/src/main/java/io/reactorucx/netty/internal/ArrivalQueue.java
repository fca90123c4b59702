package io.reactorucx.netty.internal;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a stream that have arrived, by their offset: UCX delivers a large message after a small one that was
 * sent behind it. Holds at most what the peer was allowed to send.
 *
 * <p>Thread: loop.
 */
final class ArrivalQueue {

    /** Data that arrives while other data waits is gathered in buffers of this size. */
    private static final int GATHERED_BYTES = 4096;
    /** Pieces that may be ahead of the next byte; small ones that follow each other count as one. */
    private static final int MAX_EARLY = 4096;

    private final Queue<ByteBuf> ready = new ArrayDeque<>(4);
    /** By their offsets. */
    private final List<Arrival> early = new ArrayList<>(0);
    private @Nullable ByteBuf last;
    private int readyBytes;
    /** Offset behind the last byte that is ready, modulo 2^32. */
    private int next;
    /** Offset behind the last byte that was read, modulo 2^32. */
    private int read;

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
        return early.size() < MAX_EARLY
                && (behind == 0 || early.get(behind - 1).end() - offset <= 0)
                && (behind == early.size() || early.get(behind).offset - (offset + length) >= 0);
    }

    /** Returns how many of the early arrivals begin before an offset: nearly always all. */
    private int placeOf(int offset) {
        int place = early.size();
        while (place > 0 && early.get(place - 1).offset - offset >= 0) {
            place--;
        }
        return place;
    }

    /** Returns whether the bytes at an offset are the next ones. */
    boolean isNext(int offset) {
        return offset == next && early.isEmpty();
    }

    /** Returns a buffer at whose end the next bytes may be written, null if there is none. */
    @Nullable ByteBuf gathering(int length) {
        ByteBuf tail = last;
        return tail != null && tail.writableBytes() >= length ? tail : null;
    }

    /** The capacity of a buffer for the next bytes. */
    int capacityFor(int length) {
        return readyBytes == 0 && early.isEmpty() ? length : Math.max(length, GATHERED_BYTES);
    }

    /** The next bytes are at the end of the gathering buffer. */
    void gathered(int length) {
        readyBytes += length;
        next += length;
    }

    /** Adds the next bytes. */
    void add(ByteBuf data, boolean gathers) {
        ready.add(data);
        last = gathers ? data : null;
        readyBytes += data.readableBytes();
        next += data.readableBytes();
    }

    /** Reserves the place of bytes whose data comes by {@link #arrived}. */
    Object reserve(int offset, int length) {
        Arrival reserved = new Arrival(offset, length);
        early.add(placeOf(offset), reserved);
        return reserved;
    }

    /** Returns a buffer at whose end early bytes may be written, behind those that came before them; null for none. */
    @Nullable ByteBuf gatheringEarly(int offset, int length) {
        Arrival latest = early.isEmpty() ? null : early.getLast();
        ByteBuf data = latest == null ? null : latest.data;
        return latest != null && data != null && latest.end() == offset && data.writableBytes() >= length
                && data.capacity() == GATHERED_BYTES ? data : null;
    }

    /** Early bytes are at the end of the buffer of the last ones. */
    void gatheredEarly(int length) {
        early.getLast().length += length;
    }

    /** The data of a reserved place is here. */
    void arrived(Object place, ByteBuf data) {
        ((Arrival) place).data = data;
        int complete = 0;
        while (complete < early.size() && early.get(complete).offset == next) {
            ByteBuf first = early.get(complete).data;
            if (first == null) {
                break;
            }
            add(first, false);
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
                // What is handed out must not be written to.
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
