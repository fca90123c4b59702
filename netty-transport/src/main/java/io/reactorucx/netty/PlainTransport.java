package io.reactorucx.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelProgressiveFuture;
import io.netty.channel.ChannelProgressiveFutureListener;
import io.netty.channel.ChannelProgressivePromise;
import io.netty.channel.ChannelPromise;
import io.netty.channel.FileRegion;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.netty.channel.socket.ChannelOutputShutdownException;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.internal.PlatformDependent;
import io.reactorucx.netty.counter.LoopCount;
import io.reactorucx.netty.counter.LoopCounters;
import io.reactorucx.netty.io.SocketFrame;
import io.reactorucx.netty.io.SocketReads;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a channel go over its socket: a channel of epoll, which does the work, and which this handler of it
 * connects with the channel.
 *
 * <p>The socket never reads by itself: the channel's reads become reads of the socket. A message stays in the channel
 * until the socket has written it, so that the channel's promises and writability mean what they mean with epoll.
 *
 * <p>Thread: loop.
 */
final class PlainTransport extends ChannelInboundHandlerAdapter implements ChannelTransport {

    /** The socket is given so many messages, or a little more than so many bytes, at a time. */
    private static final int MAX_MESSAGES = 256;
    private static final int MAX_BYTES = 256 << 10;

    private final AbstractUcxChannel channel;
    private final DuplexChannel socket;
    private final SocketReads reads;
    private final LoopCounters counters;
    /** The messages that the socket has, in their order. */
    private final Queue<Object> underWay = new ArrayDeque<>();
    private int underWayBytes;
    /** The bytes that were read before it was known that the peer is plain. */
    private @Nullable ByteBuf head;
    private boolean headWanted;
    /** Whether the peer was silent for so long that it counted as plain, and still is. */
    private boolean mayBeLate;

    private PlainTransport(AbstractUcxChannel channel, DuplexChannel socket, SocketReads reads,
            LoopCounters counters) {
        this.channel = channel;
        this.socket = socket;
        this.reads = reads;
        this.counters = counters;
    }

    /** The transport of a client's channel, before it connects. */
    static PlainTransport ofClient(AbstractUcxChannel channel, DuplexChannel socket, LoopCounters counters) {
        SocketReads reads = new SocketReads(channel, Integer.BYTES);
        socket.config().setRecvByteBufAllocator(reads);
        PlainTransport made = new PlainTransport(channel, socket, reads, counters);
        made.start();
        return made;
    }

    /** The transport of a server's channel whose peer is plain. */
    static PlainTransport ofServer(AbstractUcxChannel channel, DuplexChannel socket, SocketReads reads,
            LoopCounters counters, @Nullable ByteBuf head) {
        PlainTransport made = new PlainTransport(channel, socket, reads, counters);
        made.head = head;
        made.mayBeLate = head == null;
        made.start();
        return made;
    }

    private void start() {
        reads.asChannel();
        channel.config().becomePlain();
        counters.count(LoopCount.PLAIN_CHANNELS);
        socket.pipeline().addLast(this);
        socket.closeFuture().addListener(done -> {
            counters.add(LoopCount.PLAIN_CHANNELS, -1);
            releaseHead();
            channel.socketClosed();
        });
        if (socket.config().isAutoRead()) {
            socket.config().setAutoRead(false);
        } else {
            stopReading();
        }
    }

    @Override
    public void connected() {
    }

    // ---- reading

    @Override
    public void beginRead() {
        if (head == null) {
            socket.read();
        } else if (!headWanted) {
            headWanted = true;
            channel.eventLoop().execute(() -> {
                if (headWanted && readHead()) {
                    readComplete();
                }
            });
        }
    }

    @Override
    public void stopReading() {
        headWanted = false;
        SocketReads.forget(socket);
    }

    /** Hands on what was read for the decision if the channel had wanted to read. */
    void readHeadIfWanted(boolean wanted) {
        if (wanted) {
            readHead();
        }
    }

    /** Hands on what was read for the decision, and returns whether there was anything. */
    @SuppressWarnings("deprecation") // Netty's own transports use this handle.
    private boolean readHead() {
        ByteBuf data = head;
        if (data == null) {
            return false;
        }
        head = null;
        headWanted = false;
        RecvByteBufAllocator.Handle handle = channel.unsafe().recvBufAllocHandle();
        handle.reset(channel.config());
        handle.attemptedBytesRead(data.readableBytes());
        handle.lastBytesRead(data.readableBytes());
        handle.incMessagesRead(1);
        channel.pipeline().fireChannelRead(data);
        handle.readComplete();
        handle.reset(channel.config());
        return true;
    }

    private void releaseHead() {
        ByteBuf data = head;
        if (data != null) {
            head = null;
            data.release();
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        readHead();
        if (mayBeLate) {
            mayBeLate = false;
            ByteBuf data = (ByteBuf) message;
            if (data.readableBytes() >= Integer.BYTES && data.getInt(data.readerIndex()) == SocketFrame.MAGIC) {
                data.release();
                counters.count(LoopCount.FAILED_HANDSHAKES);
                channel.broken(new IOException("the HELLO of a client came after the decisionTime, when the server had"
                        + " written to it as to a plain peer"));
                return;
            }
        }
        channel.pipeline().fireChannelRead(message);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        readComplete();
    }

    void readComplete() {
        channel.pipeline().fireChannelReadComplete();
    }

    /** The peer sends no more. The socket was told to keep its other half, which the channel may not want. */
    void inputEnded() {
        if (readHead()) {
            readComplete();
        }
        if (channel.config().isAllowHalfClosure()) {
            channel.inputIsShutdown();
            channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
        } else {
            socket.close();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            inputEnded();
        } else if (event instanceof ChannelInputShutdownReadComplete) {
            channel.pipeline().fireUserEventTriggered(event);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        channel.pipeline().fireExceptionCaught(cause);
    }

    // ---- writing

    @Override
    public void write(ChannelOutboundBuffer out) throws Exception {
        while (underWay.isEmpty() && !out.isEmpty()) {
            Queue<Object> batch = new ArrayDeque<>();
            out.forEachFlushedMessage(message -> take(batch, message));
            if (batch.isEmpty()) {
                // The rest was cancelled.
                out.remove();
                continue;
            }
            underWay.addAll(batch);
            underWayBytes = 0;
            for (Object message : batch) {
                socket.write(ReferenceCountUtil.retain(message), promise(out, message));
            }
            socket.flush();
        }
    }

    private boolean take(Queue<Object> batch, Object message) {
        if (batch.size() >= MAX_MESSAGES || underWayBytes >= MAX_BYTES) {
            return false;
        }
        batch.add(message);
        underWayBytes += message instanceof ByteBuf data ? data.readableBytes() : MAX_BYTES;
        return true;
    }

    private ChannelPromise promise(ChannelOutboundBuffer out, Object message) {
        if (message instanceof FileRegion) {
            ChannelProgressivePromise promise = socket.newProgressivePromise();
            promise.addListener(new Progress(out, message));
            return promise;
        }
        return socket.newPromise().addListener(done -> written(message, done.cause()));
    }

    /** The progress of a file, which may be told to the channel's promise. */
    private final class Progress implements ChannelProgressiveFutureListener {

        private final ChannelOutboundBuffer out;
        private final Object message;
        private long told;

        Progress(ChannelOutboundBuffer out, Object message) {
            this.out = out;
            this.message = message;
        }

        @Override
        public void operationProgressed(ChannelProgressiveFuture future, long progress, long total) {
            if (channel.unsafe().outboundBuffer() == out && out.current() == message) {
                out.progress(progress - told);
                told = progress;
            }
        }

        @Override
        public void operationComplete(ChannelProgressiveFuture done) {
            written(message, done.cause());
        }
    }

    /** The socket has written a message, or could not. */
    private void written(Object message, @Nullable Throwable cause) {
        underWay.remove();
        ChannelOutboundBuffer out = channel.unsafe().outboundBuffer();
        if (out == null) {
            return;
        }
        if (cause != null) {
            Throwable first = cause.getCause();
            channel.writeFailed(cause instanceof ChannelOutputShutdownException && first != null ? first : cause);
            return;
        }
        // The messages before this one were cancelled.
        while (out.current() != null && out.current() != message) {
            out.remove();
        }
        out.remove();
        if (underWay.isEmpty()) {
            channel.writeAgain();
        }
    }

    // ---- the end

    @Override
    public void shutdownOutput() {
        Throwable cause = socket.isOutputShutdown() ? null : socket.shutdownOutput().cause();
        if (cause != null) {
            PlatformDependent.throwException(cause);
        }
    }

    @Override
    public void shutdownInput(ChannelPromise promise) {
        releaseHead();
        socket.shutdownInput().addListener(done -> {
            if (done.isSuccess()) {
                promise.setSuccess();
            } else {
                promise.setFailure(done.cause());
            }
        });
    }

    /** The socket lingers on a thread of its own. */
    @Override
    public void linger(int seconds, Runnable whenOver) {
        socket.close().addListener(done -> whenOver.run());
    }

    @Override
    public void close() {
        ChannelFuture closed = socket.close();
        if (closed.isDone()) {
            releaseHead();
        }
    }

    /** Writes what was held back for the decision. */
    ChannelFuture write(ByteBuf data) {
        return socket.writeAndFlush(data);
    }
}
