package io.reactorucx.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.netty.channel.socket.SocketChannel;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One end of a channel, which writes parts of random size, and stops reading now and then. The byte at each offset is
 * known to both ends.
 */
final class RandomPeer extends ChannelInboundHandlerAdapter {

    private static final int MAX_PART_BYTES = 3 << 20;
    private static final int MAX_PARTS = 12;
    private static final int MAX_BYTES = 6 << 20;
    private static final int PAUSES_OF_100 = 20;
    private static final int MAX_PAUSE_MICROS = 2000;

    private final Random random;
    private final boolean endsAmid;
    private int parts;
    private int partsToEnd;
    private boolean inputEnded;
    private volatile long received;
    private volatile long sent;
    private volatile boolean sentAll;
    private volatile boolean ended;
    private volatile @Nullable Throwable error;
    private volatile @Nullable String wrong;

    private RandomPeer(long seed, boolean endsAmid, List<RandomPeer> all) {
        this.random = new Random(seed);
        this.endsAmid = endsAmid;
        this.parts = 1 + random.nextInt(MAX_PARTS);
        this.partsToEnd = random.nextInt(2 * MAX_PARTS);
        all.add(this);
    }

    /** A peer that sends all, says so, and closes when the other has as well. */
    static RandomPeer whole(long seed, List<RandomPeer> all) {
        return new RandomPeer(seed, false, all);
    }

    /** A peer that closes or gives up the connection at any time. */
    static RandomPeer ending(long seed, List<RandomPeer> all) {
        return new RandomPeer(seed, true, all);
    }

    static byte byteAt(long offset) {
        return (byte) ((offset * 0x9E3779B97F4A7C15L) >>> 56);
    }

    /** Returns the offset of the first wrong byte, -1 if all are right. */
    static long firstWrong(ByteBuf data, long offset) {
        for (int i = 0; i < data.readableBytes(); i++) {
            if (data.getByte(data.readerIndex() + i) != byteAt(offset + i)) {
                return offset + i;
            }
        }
        return -1;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        write(context);
    }

    private void write(ChannelHandlerContext context) {
        while (!sentAll && context.channel().isActive() && context.channel().isWritable()) {
            if (endsAmid && partsToEnd-- == 0) {
                endAmid(context);
                return;
            }
            if (parts-- == 0 || sent > MAX_BYTES) {
                sentAll = true;
                shutdownOutput(context);
                return;
            }
            int length = 1 + random.nextInt(1 + random.nextInt(1 << random.nextInt(23)) % MAX_PART_BYTES);
            ByteBuf part = random.nextBoolean() ? context.alloc().directBuffer(length)
                    : context.alloc().heapBuffer(length);
            for (int i = 0; i < length; i++) {
                part.writeByte(byteAt(sent + i));
            }
            sent += length;
            context.write(part);
            if (random.nextBoolean()) {
                context.flush();
            }
        }
        context.flush();
    }

    private void shutdownOutput(ChannelHandlerContext context) {
        // What is in the channel's buffer goes first.
        context.writeAndFlush(context.alloc().buffer(0)).addListener(done -> {
            ((SocketChannel) context.channel()).shutdownOutput();
            closeIfDone(context);
        });
    }

    private void endAmid(ChannelHandlerContext context) {
        switch (random.nextInt(3)) {
            case 0 -> context.close();
            case 1 -> {
                context.flush();
                context.close();
            }
            default -> {
                context.channel().config().setOption(ChannelOption.SO_LINGER, 0);
                context.close();
            }
        }
    }

    private void closeIfDone(ChannelHandlerContext context) {
        if (inputEnded && ((SocketChannel) context.channel()).isOutputShutdown()) {
            context.close();
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf data = (ByteBuf) message;
        try {
            long at = firstWrong(data, received);
            if (at >= 0) {
                wrong = "wrong byte at " + at;
                error = new AssertionError(wrong);
                context.close();
            }
            received += data.readableBytes();
        } finally {
            data.release();
        }
        if (random.nextInt(100) < PAUSES_OF_100 && context.channel().config().isAutoRead()) {
            context.channel().config().setAutoRead(false);
            context.executor().schedule(() -> context.channel().config().setAutoRead(true),
                    random.nextInt(MAX_PAUSE_MICROS), TimeUnit.MICROSECONDS);
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (context.channel().isWritable()) {
            // Not within the flush that has made it writable.
            context.executor().execute(() -> write(context));
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event == ChannelInputShutdownReadComplete.INSTANCE) {
            inputEnded = true;
            closeIfDone(context);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        error = cause;
        context.close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        ended = true;
    }

    boolean hasEnded() {
        return ended;
    }

    boolean hasSentAll() {
        return sentAll && sent > 0;
    }

    long received() {
        return received;
    }

    long sent() {
        return sent;
    }

    @Nullable Throwable error() {
        return error;
    }

    @Nullable String wrong() {
        return wrong;
    }

    @Override
    public String toString() {
        return "RandomPeer[sent " + sent + (sentAll ? " (all)" : "") + ", received " + received + ", " + error
                + (ended ? ", ended]" : "]");
    }
}
