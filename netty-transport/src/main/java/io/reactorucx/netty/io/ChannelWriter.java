package io.reactorucx.netty.io;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.FileRegion;
import io.reactorucx.netty.internal.ChannelStream;
import java.io.IOException;

/**
 * Moves what a channel has flushed to its stream, as far as that has room. A write is done when the stream has its
 * bytes.
 *
 * <p>Thread: loop.
 */
public final class ChannelWriter {

    private static final int FILE_BYTES = 64 << 10;
    /** Data of up to so many bytes is copied when it is written, so that its memory is free with the promise. */
    private static final int COPIED_BYTES = 4 << 10;

    private ChannelWriter() {
    }

    /**
     * Writes.
     *
     * @param sendBytes how many bytes the stream may hold
     */
    public static void write(ChannelOutboundBuffer out, ChannelStream stream, int sendBytes,
            ByteBufAllocator allocator) throws IOException {
        boolean queued = true;
        while (queued) {
            queued = queue(out, stream, sendBytes, allocator);
            stream.flush();
            queued &= !out.isEmpty() && stream.queuedBytes() < sendBytes;
        }
    }

    /** Queues as much as there is room for, and returns whether that was anything. */
    private static boolean queue(ChannelOutboundBuffer out, ChannelStream stream, int sendBytes,
            ByteBufAllocator allocator) throws IOException {
        boolean queued = false;
        for (Object message = out.current(); message != null; message = out.current()) {
            IOException error = stream.writeError();
            if (error != null) {
                throw error;
            }
            int room = sendBytes - stream.queuedBytes();
            if (message instanceof ByteBuf data && !data.isReadable()) {
                out.remove();
                continue;
            }
            if (room <= 0) {
                return queued;
            }
            if (message instanceof ByteBuf data) {
                int length = Math.min(room, data.readableBytes());
                if (length <= COPIED_BYTES) {
                    stream.writeCopy(data, length);
                } else {
                    stream.write(data.retainedSlice(data.readerIndex(), length));
                }
                out.removeBytes(length);
            } else {
                writeFile(out, stream, (FileRegion) message, Math.min(room, FILE_BYTES), allocator);
            }
            queued = true;
        }
        return queued;
    }

    private static void writeFile(ChannelOutboundBuffer out, ChannelStream stream, FileRegion region, int most,
            ByteBufAllocator allocator) throws IOException {
        long left = region.count() - region.transferred();
        if (left <= 0) {
            out.remove();
            return;
        }
        int length = (int) Math.min(left, most);
        ByteBuf part = allocator.directBuffer(length, length);
        try {
            try (BufferChannel target = new BufferChannel(part)) {
                region.transferTo(target, region.transferred());
            }
            if (!part.isReadable()) {
                throw new IOException("the file ends " + left + " bytes before its region does");
            }
            stream.write(part.retain());
            out.progress(part.readableBytes());
            if (region.transferred() >= region.count()) {
                out.remove();
            }
        } finally {
            part.release();
        }
    }
}
