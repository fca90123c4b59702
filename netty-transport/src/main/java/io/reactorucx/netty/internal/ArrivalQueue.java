package io.reactorucx.netty.internal;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.Iterator;
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

    private final Queue<ByteBuf> ready = new ArrayDeque<>(4);
    private final ArrayDeque<Arrival> early = new ArrayDeque<>(0);
    private @Nullable ByteBuf last;
    private int readyBytes;
    /** Offset behind the last byte that is ready, modulo 2^32. */
    private int next;
    /** Offset behind the last byte that was read, modulo 2^32. */
    private int read;

    /** Data whose offset is past the next one, or that is still being fetched. */
    private static final class Arrival {

        private final int offset;
        private final int length;
        private @Nullable ByteBuf data;

        Arrival(int offset, int length) {
            this.offset = offset;
            this.length = length;
        }
    }

    /** Returns whether the bytes may come: within the credit, and none of them is here already. */
    boolean accepts(int offset, int length, int limit) {
        int ahead = offset - next;
        if (length <= 0 || ahead < 0 || limit - next < 0 || ahead > limit - next || length > limit - next - ahead) {
            return false;
        }
        for (Arrival each : early) {
            int distance = each.offset - offset;
            if (distance < length && -distance < each.length) {
                return false;
            }
        }
        return true;
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
        return readyBytes == 0 ? length : Math.max(length, GATHERED_BYTES);
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
        early.add(reserved);
        return reserved;
    }

    /** The data of a reserved place is here. */
    void arrived(Object place, ByteBuf data) {
        ((Arrival) place).data = data;
        while (takeNext()) { }
    }

    private boolean takeNext() {
        for (Iterator<Arrival> places = early.iterator(); places.hasNext();) {
            Arrival place = places.next();
            ByteBuf data = place.data;
            if (place.offset == next && data != null) {
                places.remove();
                add(data, false);
                return true;
            }
        }
        return false;
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
