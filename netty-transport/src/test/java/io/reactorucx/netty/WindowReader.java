package io.reactorucx.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import org.jspecify.annotations.Nullable;

/** Reads nothing until it is asked to, and looks at each read how much its loop holds. */
final class WindowReader extends ChannelInboundHandlerAdapter {

    /** What {@link Writer} sends. */
    static final int BYTES = 3 << 20;

    private final TestLoops loops;
    private volatile @Nullable ChannelHandlerContext context;
    private volatile long received;
    private volatile long most;

    WindowReader(TestLoops loops) {
        this.loops = loops;
    }

    /** Sends all at once. */
    static final class Writer extends ChannelInboundHandlerAdapter {

        @Override
        public void channelActive(ChannelHandlerContext context) {
            context.writeAndFlush(context.alloc().directBuffer(BYTES).writeZero(BYTES));
        }
    }

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        context = added;
        added.channel().config().setAutoRead(false);
    }

    void readAll() {
        ChannelHandlerContext added = context;
        if (added != null) {
            added.channel().config().setAutoRead(true);
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext reading, Object message) {
        ByteBuf data = (ByteBuf) message;
        // The loop counts on this thread.
        most = Math.max(most, loops.sum(UcxLoopStatistics::receivedBytes) - received);
        received += data.readableBytes();
        data.release();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext reading, Object event) {
        if (event == ChannelInputShutdownReadComplete.INSTANCE) {
            reading.close();
        }
    }

    long received() {
        return received;
    }

    /** Returns the most that was held for the channel. */
    long most() {
        return most;
    }
}
