package io.reactorucx.netty.internal;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.reactorucx.core.UcpActiveMessage;
import io.reactorucx.core.UcxException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The receiving side of a byte stream: what has come, what is being fetched, and how much more may come.
 *
 * <p>Thread: loop.
 */
final class StreamInput {

    private final ChannelStream stream;
    private final LoopEngine loop;
    private final int window;
    private final ArrivalQueue arrivals = new ArrivalQueue();
    /** The offset up to which the peer was allowed to send, modulo 2^32. */
    private int granted;
    private boolean finished;
    private int end;
    private boolean shut;
    private int fetching;

    StreamInput(ChannelStream stream, LoopEngine loop, int window) {
        this.stream = stream;
        this.loop = loop;
        this.window = window;
    }

    /** Returns the credit that goes with the next frame: a window behind what was read. */
    int grant() {
        granted = arrivals.read() + window;
        return granted;
    }

    /** Returns whether so much was read that the peer should know. */
    boolean owesCredit() {
        return arrivals.read() + window - granted >= window / 2 && !finished;
    }

    /** Takes data, and returns false if it may not come. */
    boolean data(UcpActiveMessage message, int offset, ByteBufAllocator allocator) {
        long length = message.length();
        if (length > window || !arrivals.accepts(offset, (int) length, granted)
                || finished && offset + (int) length - end > 0) {
            return false;
        }
        int bytes = (int) length;
        loop.counters().received(bytes);
        if (message.isInline()) {
            copy(message, offset, bytes, allocator);
        } else {
            fetch(message, arrivals.reserve(offset, bytes), bytes, allocator);
        }
        return true;
    }

    private void copy(UcpActiveMessage message, int offset, int length, ByteBufAllocator allocator) {
        byte[] array = message.readInPlace();
        int from = message.headerBytes();
        boolean next = arrivals.isNext(offset);
        ByteBuf tail = next ? arrivals.gathering(length) : null;
        if (tail != null) {
            tail.writeBytes(array, from, length);
            arrivals.gathered(length);
            return;
        }
        ByteBuf early = next ? null : arrivals.gatheringEarly(offset, length);
        if (early != null) {
            early.writeBytes(array, from, length);
            arrivals.gatheredEarly(length);
            return;
        }
        int capacity = arrivals.capacityFor(length);
        ByteBuf made = allocator.directBuffer(capacity, capacity);
        made.writeBytes(array, from, length);
        if (next) {
            arrivals.add(made, true);
        } else {
            arrivals.arrived(arrivals.reserve(offset, length), made);
        }
    }

    private void fetch(UcpActiveMessage message, Object place, int length, ByteBufAllocator allocator) {
        ByteBuf data = allocator.directBuffer(length, length);
        boolean done = false;
        fetching++;
        try {
            done = loop.fetch(message, MemorySegment.ofBuffer(data.nioBuffer(0, length)), (status, bytes, tag) -> {
                fetched(place, data, length, status);
                loop.ready(stream);
            });
        } catch (RuntimeException e) {
            fetching--;
            data.release();
            if (e instanceof UcxException refused && refused.isRetryable()) {
                fetching++;
                loop.later(() -> fetchAgain(message, place, length, allocator));
            } else {
                loop.drop(message);
                loop.later(() -> stream.fail(new IOException("Connection reset by peer", e)));
            }
        }
        if (done) {
            fetched(place, data, length, 0);
        }
    }

    private void fetchAgain(UcpActiveMessage message, Object place, int length, ByteBufAllocator allocator) {
        fetching--;
        if (stream.isEnded()) {
            loop.drop(message);
        } else {
            fetch(message, place, length, allocator);
        }
    }

    private void fetched(Object place, ByteBuf data, int length, int status) {
        fetching--;
        if (stream.isEnded() || status < 0) {
            data.release();
            if (status < 0) {
                stream.fail(new IOException("Connection reset by peer: data of " + length + " bytes was not fetched",
                        new UcxException(status, "am_recv_data", null)));
            }
            return;
        }
        data.writerIndex(length);
        arrivals.arrived(place, data);
    }

    /** The peer sends nothing behind an offset. Returns false if that cannot be. */
    boolean finish(int offset) {
        if (finished && offset != end || offset - arrivals.next() < 0 || offset - granted > 0) {
            return false;
        }
        finished = true;
        end = offset;
        return true;
    }

    /** The peer has closed before it could send anything. */
    void finishUnopened() {
        finished = true;
        end = arrivals.next();
    }

    boolean isFinished() {
        return finished;
    }

    @Nullable ByteBuf read(int most) {
        return arrivals.read(most);
    }

    boolean hasBytes() {
        return arrivals.readyBytes() > 0;
    }

    /** Returns whether all that the peer sends was read. */
    boolean isAtEnd() {
        return finished && !hasBytes() && !arrivals.isWaitingBefore(end);
    }

    /** Returns whether data has come that was not read, or is being fetched. */
    boolean isUnread() {
        return hasBytes() || fetching > 0;
    }

    boolean isFetching() {
        return fetching > 0;
    }

    /** What comes is dropped from now on. */
    void shut() {
        shut = true;
    }

    boolean isShut() {
        return shut;
    }

    /** Drops what has come, as if it had been read. Returns whether there was something. */
    boolean skip() {
        return arrivals.skip();
    }

    void clear() {
        arrivals.clear();
    }

    @Override
    public String toString() {
        return "arrived=" + arrivals.next() + ", read=" + arrivals.read() + ", granted=" + granted + ", fetching="
                + fetching + (finished ? ", ends at " + end : "");
    }
}
