package io.reactorucx.examples.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.reactorucx.examples.DemoFailure;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Sends the same bytes again and again, and compares what comes back: all of the first message, the ends of each
 * further piece.
 */
final class EchoCaller extends ChannelInboundHandlerAdapter implements Caller {

    private final ByteBuf pattern;
    private final int bytes;
    private final Queue<Answer> waiting = new ArrayDeque<>();
    private volatile @Nullable ChannelHandlerContext context;
    private @Nullable Throwable failure;
    private boolean compared;
    private int position;

    EchoCaller(ByteBuf pattern) {
        this.pattern = pattern;
        this.bytes = pattern.readableBytes();
    }

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        context = added;
    }

    @Override
    public void call(Answer answer) {
        ChannelHandlerContext channel = context;
        if (channel == null) {
            answer.failed(new DemoFailure("the connection is not open"));
        } else if (channel.executor().inEventLoop()) {
            send(channel, answer);
        } else {
            channel.executor().execute(() -> send(channel, answer));
        }
    }

    private void send(ChannelHandlerContext channel, Answer answer) {
        Throwable reason = failure;
        if (reason != null) {
            answer.failed(reason);
            return;
        }
        waiting.add(answer);
        channel.writeAndFlush(pattern.retainedDuplicate(), channel.voidPromise());
    }

    @Override
    public void channelRead(ChannelHandlerContext channel, Object message) {
        ByteBuf arrived = (ByteBuf) message;
        try {
            while (arrived.isReadable()) {
                int length = Math.min(arrived.readableBytes(), bytes - position);
                if (!isRight(arrived, length)) {
                    throw new DemoFailure("the server sent other bytes than it got, within " + length + " from "
                            + position);
                }
                arrived.skipBytes(length);
                position += length;
                if (position == bytes) {
                    position = 0;
                    compared = true;
                    complete();
                }
            }
        } finally {
            arrived.release();
        }
    }

    private boolean isRight(ByteBuf arrived, int length) {
        int from = arrived.readerIndex();
        return compared ? arrived.getByte(from) == pattern.getByte(position)
                && arrived.getByte(from + length - 1) == pattern.getByte(position + length - 1)
                : ByteBufUtil.equals(arrived, from, pattern, position, length);
    }

    private void complete() {
        Answer answer = waiting.poll();
        if (answer == null) {
            throw new DemoFailure("the server sent more than it got");
        }
        answer.arrived();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext channel, Throwable cause) {
        fail(cause);
        channel.close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext channel) {
        fail(new DemoFailure("the server has closed the connection"));
    }

    private void fail(Throwable cause) {
        if (failure == null) {
            failure = cause;
        }
        for (Answer answer = waiting.poll(); answer != null; answer = waiting.poll()) {
            answer.failed(cause);
        }
    }

    @Override
    public void close() {
        ChannelHandlerContext channel = context;
        if (channel != null) {
            channel.close().awaitUninterruptibly(Protocol.LIMIT.toMillis());
        }
        pattern.release();
    }
}
