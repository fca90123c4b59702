package io.reactorucx.netty.internal;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.ReferenceCountUtil;
import io.reactorucx.netty.buffer.LeasedByteBuf;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * The bytes that a channel has written and UCX has not been given.
 *
 * <p>Thread: loop.
 */
final class SendQueue {

    private static final int GATHERED_BYTES = 4096;

    private final Queue<ByteBuf> waiting = new ArrayDeque<>(4);
    /** Where small data is gathered: the last of the queue. */
    private @Nullable ByteBuf gathering;
    private int bytes;

    void add(ByteBuf data) {
        if (!data.isReadable()) {
            data.release();
            return;
        }
        gathering = null;
        waiting.add(data);
        bytes += data.readableBytes();
    }

    /** Copies bytes to the end of the queue, which stays as it is if that fails: the data may have been released. */
    void addCopy(ByteBuf data, int length, ByteBufAllocator allocator) {
        ByteBuf tail = gathering;
        if (tail == null || tail.writableBytes() < length) {
            tail = copy(data, length, allocator);
            gathering = tail;
            waiting.add(tail);
        } else {
            tail.writeBytes(data, data.readerIndex(), length);
        }
        bytes += length;
    }

    private static ByteBuf copy(ByteBuf data, int length, ByteBufAllocator allocator) {
        int size = Math.max(length, GATHERED_BYTES);
        ByteBuf made = allocator.directBuffer(size, size);
        try {
            return made.writeBytes(data, data.readerIndex(), length);
        } catch (RuntimeException e) {
            made.release();
            throw e;
        }
    }

    int bytes() {
        return bytes;
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /** Copies the first bytes to a buffer, without taking them. */
    void copyTo(ByteBuf target, int length) {
        int left = length;
        for (ByteBuf each : waiting) {
            int part = Math.min(left, each.readableBytes());
            target.writeBytes(each, each.readerIndex(), part);
            left -= part;
            if (left == 0) {
                return;
            }
        }
    }

    /** As {@link #copyTo(ByteBuf, int)}, as many bytes as the target has room for. */
    void copyTo(ByteBuffer target) {
        for (ByteBuf each : waiting) {
            int part = Math.min(target.remaining(), each.readableBytes());
            target.limit(target.position() + part);
            each.getBytes(each.readerIndex(), target);
            target.limit(target.capacity());
            if (!target.hasRemaining()) {
                return;
            }
        }
    }

    /** Returns the first bytes, at most a number of them, if they lie in leased memory; null if they do not. */
    @Nullable ByteBuf leased(int most) {
        ByteBuf first = waiting.element();
        return LeasedByteBuf.of(first) == null ? null
                : first.retainedSlice(first.readerIndex(), Math.min(most, first.readableBytes()));
    }

    /** Returns the first bytes as native memory in one piece, which the caller releases; copies where it has to. */
    ByteBuf piece(int length, ByteBufAllocator allocator) {
        ByteBuf first = waiting.element();
        if (first.readableBytes() >= length && first.isDirect() && first.nioBufferCount() == 1) {
            return first.retainedSlice(first.readerIndex(), length);
        }
        ByteBuf copy = allocator.directBuffer(length, length);
        copyTo(copy, length);
        return copy;
    }

    /** Takes the first bytes away. */
    void remove(int length) {
        bytes -= length;
        int left = length;
        while (left > 0) {
            ByteBuf first = waiting.element();
            int part = Math.min(left, first.readableBytes());
            first.skipBytes(part);
            left -= part;
            if (!first.isReadable()) {
                waiting.remove();
                end(first);
            }
        }
    }

    private void end(ByteBuf sent) {
        if (sent == gathering) {
            gathering = null;
        }
        sent.release();
    }

    /** Releases all; what the application has released once too often is logged, and does not keep the rest. */
    void clear() {
        gathering = null;
        for (ByteBuf each = waiting.poll(); each != null; each = waiting.poll()) {
            ReferenceCountUtil.safeRelease(each);
        }
        bytes = 0;
    }
}
