package io.reactorucx.examples.soak.netty;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.reactorucx.netty.UcxSocketChannel;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A channel that writes as long as it is writable, and checks what an echo server sends back. */
final class StreamChannel extends ChannelInboundHandlerAdapter {

    private static final int PART_BYTES = 8192;

    private final long number;
    private final Content content;
    private volatile long received;
    private volatile @Nullable Throwable error;
    private long sent;
    private boolean writing;

    private StreamChannel(long number) {
        this.number = number;
        content = new Content(number);
    }

    /** A channel with what it does. */
    record Open(Channel channel, StreamChannel stream) {

        /** Returns whether it has ended within a time. */
        boolean endsWithin(Duration time) {
            return channel.closeFuture().awaitUninterruptibly(Math.max(1, time.toMillis()), TimeUnit.MILLISECONDS);
        }
    }

    /** Connects, and writes from then on. */
    static Open connect(EventLoopGroup group, InetSocketAddress server, long number) {
        StreamChannel stream = new StreamChannel(number);
        ChannelFuture connected = new Bootstrap().group(group).channel(UcxSocketChannel.class).handler(stream)
                .connect(server).syncUninterruptibly();
        return new Open(connected.channel(), stream);
    }

    long received() {
        return received;
    }

    @Nullable Throwable error() {
        return error;
    }

    private void write(ChannelHandlerContext context) {
        if (writing) {
            return;
        }
        writing = true;
        while (context.channel().isActive() && context.channel().isWritable()) {
            context.write(Content.part(context.alloc(), number, sent, PART_BYTES));
            sent += PART_BYTES;
        }
        writing = false;
        context.flush();
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        write(context);
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // The loop alone writes it.
    public void channelRead(ChannelHandlerContext context, Object message) {
        received += content.take((ByteBuf) message);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        write(context);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        write(context);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (error == null) {
            error = cause;
        }
        context.close();
    }
}
