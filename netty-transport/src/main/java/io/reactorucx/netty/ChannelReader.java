package io.reactorucx.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.socket.DuplexChannel;
import io.reactorucx.netty.internal.ChannelStream;

/**
 * Hands what has come to the pipeline of a channel, as much at a time as its {@link RecvByteBufAllocator} guesses.
 *
 * <p>Thread: loop.
 */
final class ChannelReader {

    private final DuplexChannel channel;
    private final Runnable whenEnded;
    private boolean wanted;
    private boolean reading;

    /**
     * Reads for a channel.
     *
     * @param whenEnded runs when the peer sends no more
     */
    ChannelReader(DuplexChannel channel, Runnable whenEnded) {
        this.channel = channel;
        this.whenEnded = whenEnded;
    }

    /** The channel was asked to read. */
    void want() {
        wanted = true;
    }

    /** The channel is not to read. */
    void wantNot() {
        wanted = false;
    }

    /** Reads if that is wanted. The end is told as it is by epoll, also if nobody reads. */
    void readable(ChannelStream stream) {
        if (!reading && (isWanted() || stream.isAtEnd())) {
            boolean ended = read(stream);
            if (ended) {
                whenEnded.run();
            } else if (channel.isOpen() && isWanted()) {
                stream.readLater();
            }
        }
    }

    private boolean isWanted() {
        return wanted || channel.config().isAutoRead() && channel.isRegistered();
    }

    /** Reads, and returns whether the peer sends no more. */
    @SuppressWarnings("deprecation") // Netty's own transports use this handle.
    private boolean read(ChannelStream stream) {
        reading = true;
        try {
            ChannelPipeline pipeline = channel.pipeline();
            RecvByteBufAllocator.Handle handle = channel.unsafe().recvBufAllocHandle();
            handle.reset(channel.config());
            do {
                int most = Math.max(1, handle.guess());
                handle.attemptedBytesRead(most);
                ByteBuf data = channel.isInputShutdown() ? null : stream.read(most);
                if (data == null) {
                    handle.lastBytesRead(stream.isAtEnd() ? -1 : 0);
                    break;
                }
                handle.lastBytesRead(data.readableBytes());
                handle.incMessagesRead(1);
                wanted = false;
                pipeline.fireChannelRead(data);
            } while (channel.isOpen() && handle.continueReading());
            boolean ended = stream.isAtEnd();
            if (ended) {
                wanted = false;
            }
            handle.readComplete();
            pipeline.fireChannelReadComplete();
            return ended;
        } finally {
            reading = false;
        }
    }
}
