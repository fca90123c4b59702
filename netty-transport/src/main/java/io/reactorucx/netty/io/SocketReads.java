package io.reactorucx.netty.io;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How much is read from the socket of a channel: of a socket whose peer may be plain no more than is needed to
 * decide it, and of a plain one, or of that of a server, what the channel's own {@link RecvByteBufAllocator} says.
 *
 * <p>Thread: loop.
 */
@SuppressWarnings("deprecation") // Netty's own transports use this handle.
public final class SocketReads implements RecvByteBufAllocator, RecvByteBufAllocator.ExtendedHandle {

    private final Channel channel;
    private RecvByteBufAllocator.@Nullable Handle own;
    private int limit;
    private int lastBytes;
    private int attempted;

    /** Reads for a channel at most so many bytes at a time. */
    public SocketReads(Channel channel, int limit) {
        this.channel = channel;
        this.limit = limit;
    }

    /** Has a socket that does not read by itself forget a read: it does when it is told to read no more by itself. */
    public static void forget(Channel socket) {
        socket.config().setAutoRead(true);
        socket.config().setAutoRead(false);
    }

    /** Reads so much at a time. */
    public void limit(int bytes) {
        limit = bytes;
    }

    /** Reads as the channel's options say. */
    public void asChannel() {
        own = channel.unsafe().recvBufAllocHandle();
        own.reset(channel.config());
    }

    @Override
    public ExtendedHandle newHandle() {
        return this;
    }

    @Override
    public ByteBuf allocate(ByteBufAllocator allocator) {
        return own == null ? allocator.ioBuffer(limit, limit) : own.allocate(allocator);
    }

    @Override
    public int guess() {
        return own == null ? limit : own.guess();
    }

    /** The options are those of the channel, not of its socket. */
    @Override
    public void reset(ChannelConfig config) {
        if (own != null) {
            own.reset(channel.config());
        }
    }

    @Override
    public void incMessagesRead(int messages) {
        if (own != null) {
            own.incMessagesRead(messages);
        }
    }

    @Override
    public void lastBytesRead(int bytes) {
        if (own == null) {
            lastBytes = bytes;
        } else {
            own.lastBytesRead(bytes);
        }
    }

    @Override
    public int lastBytesRead() {
        return own == null ? lastBytes : own.lastBytesRead();
    }

    @Override
    public void attemptedBytesRead(int bytes) {
        if (own == null) {
            attempted = bytes;
        } else {
            own.attemptedBytesRead(bytes);
        }
    }

    @Override
    public int attemptedBytesRead() {
        return own == null ? attempted : own.attemptedBytesRead();
    }

    @Override
    public boolean continueReading() {
        return own != null && own.continueReading();
    }

    @Override
    public boolean continueReading(UncheckedBooleanSupplier maybeMore) {
        return own instanceof ExtendedHandle extended ? extended.continueReading(maybeMore) : continueReading();
    }

    @Override
    public void readComplete() {
        if (own != null) {
            own.readComplete();
        }
    }
}
