package io.reactorucx.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.FileRegion;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.concurrent.Future;
import io.reactorucx.netty.counter.LoopCount;
import io.reactorucx.netty.io.BufferChannel;
import io.reactorucx.netty.io.ChannelRoom;
import io.reactorucx.netty.io.SocketFrame;
import io.reactorucx.netty.io.SocketReads;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The peer of a server's channel has not shown yet whether it is a client of UCX. Its first four bytes decide it. A
 * peer that ends before it has sent them is plain, as is one that has sent one to three of them when the time is over.
 * One that has sent nothing by then becomes plain with the first byte that the server writes.
 *
 * <p>What the channel writes before is held back; it outlives the channel until the peer is known.
 *
 * <p>Thread: loop.
 */
final class UndecidedTransport extends ChannelInboundHandlerAdapter implements ChannelTransport {

    /** How much is read at a time from the socket of a channel over UCX. */
    private static final int FRAME_BYTES = 512;

    private final AbstractUcxChannel channel;
    private final DuplexChannel socket;
    private final UcxIoHandler handler;
    private final SocketReads reads;
    /** Among the channels over plain TCP. */
    private final ChannelRoom room;
    private @Nullable Future<?> timer;
    private @Nullable ByteBuf head;
    private @Nullable ByteBuf held;
    private boolean isLate;
    private boolean decided;
    private boolean readWanted;
    private boolean outputShutdown;
    private boolean inputShutdown;
    private boolean closed;
    /** The action that waits until the peer has all, if the channel has closed and lingers. */
    private @Nullable Runnable afterLinger;
    private int lingerSeconds;

    private UndecidedTransport(AbstractUcxChannel channel, DuplexChannel socket, UcxIoHandler handler,
            ChannelRoom room) {
        this.room = room;
        this.channel = channel;
        this.socket = socket;
        this.handler = handler;
        this.reads = new SocketReads(channel, Integer.BYTES);
    }

    /**
     * The transport of an accepted channel, before its socket is registered; null if the loop has as many plain
     * channels as it may.
     */
    static @Nullable UndecidedTransport of(AbstractUcxChannel channel, DuplexChannel socket, UcxIoHandler handler) {
        ChannelRoom room = handler.counters().of(LoopCount.PLAIN_CHANNELS) >= handler.config().maxChannels() ? null
                : ChannelRoom.take(socket, handler.counters().acceptedPlain());
        if (room == null) {
            handler.counters().count(LoopCount.REFUSED);
            return null;
        }
        UndecidedTransport made = new UndecidedTransport(channel, socket, handler, room);
        socket.config().setRecvByteBufAllocator(made.reads).setAutoRead(false);
        // The socket tells of the end of the input instead of closing.
        socket.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        socket.pipeline().addLast(made);
        handler.counters().count(LoopCount.PLAIN_CHANNELS);
        socket.closeFuture().addListener(done -> made.socketClosed());
        return made;
    }

    // ---- the decision

    @Override
    public void channelActive(ChannelHandlerContext context) {
        timer = context.executor().schedule(this::timeIsOver,
                handler.config().plainTcp().decisionTime().toNanos(), TimeUnit.NANOSECONDS);
        context.read();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        ByteBuf all = head;
        if (all == null) {
            all = bytes;
            head = bytes;
        } else {
            all.writeBytes(bytes);
            bytes.release();
        }
        int count = all.readableBytes();
        for (int i = 0; i < count; i++) {
            if (all.getByte(all.readerIndex() + i) != (byte) (SocketFrame.MAGIC >>> 24 - 8 * i)) {
                becomePlain();
                return;
            }
        }
        if (count == Integer.BYTES) {
            becomeStream();
        } else {
            reads.limit(Integer.BYTES - count);
            context.read();
        }
    }

    private void timeIsOver() {
        isLate = true;
        if (!decided && (head != null || held != null || outputShutdown || closed)) {
            PlainTransport plain = becomePlain();
            if (plain != null) {
                plain.readComplete();
            }
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            PlainTransport plain = becomePlain();
            if (plain != null) {
                plain.inputEnded();
            }
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (becomePlain() != null) {
            channel.pipeline().fireExceptionCaught(cause);
        }
    }

    private void decide() {
        decided = true;
        stopTimer();
        socket.pipeline().remove(this);
        handler.counters().add(LoopCount.PLAIN_CHANNELS, -1);
    }

    private void stopTimer() {
        Future<?> waiting = timer;
        if (waiting != null) {
            waiting.cancel(false);
        }
    }

    /** Returns the transport, null if the channel has closed before. */
    private @Nullable PlainTransport becomePlain() {
        decide();
        ByteBuf first = head;
        ByteBuf written = held;
        head = null;
        held = null;
        if (closed) {
            endPlain(first, written);
            return null;
        }
        PlainTransport plain = PlainTransport.ofServer(channel, socket, reads, handler.counters(), first);
        channel.decided(plain);
        ChannelFuture last = written == null ? null : plain.write(written);
        if (outputShutdown) {
            if (last == null) {
                socket.shutdownOutput();
            } else {
                last.addListener(done -> socket.shutdownOutput());
            }
        } else {
            channel.writeAgain();
        }
        if (inputShutdown) {
            plain.shutdownInput(socket.newPromise());
        } else if (first != null) {
            plain.readHeadIfWanted(readWanted);
        } else if (readWanted) {
            plain.beginRead();
        }
        return plain;
    }

    /** Writes what the channel has written before it was closed, and ends. */
    private void endPlain(@Nullable ByteBuf first, @Nullable ByteBuf written) {
        if (first != null) {
            first.release();
        }
        if (written == null) {
            socket.close();
            return;
        }
        handler.counters().count(LoopCount.PLAIN_CHANNELS);
        socket.closeFuture().addListener(done -> handler.counters().add(LoopCount.PLAIN_CHANNELS, -1));
        long nanos = handler.config().closeTimeout().toNanos();
        if (afterLinger != null) {
            socket.config().setOption(ChannelOption.SO_LINGER, lingerSeconds);
            nanos = Math.max(nanos, TimeUnit.SECONDS.toNanos(lingerSeconds));
        }
        Future<?> limit = socket.eventLoop().schedule(() -> socket.close(), nanos, TimeUnit.NANOSECONDS);
        socket.writeAndFlush(written).addListener(done -> {
            limit.cancel(false);
            socket.close();
        });
    }

    private void becomeStream() {
        decide();
        room.release();
        ByteBuf first = head;
        ByteBuf written = held;
        head = null;
        held = null;
        try {
            StreamTransport stream = StreamTransport.ofServer(channel, socket, handler);
            if (stream == null) {
                socket.close();
                channel.socketClosed();
                return;
            }
            reads.limit(FRAME_BYTES);
            socket.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, false);
            channel.decided(stream);
            if (written != null) {
                ByteBuf queued = written;
                written = null;
                stream.write(queued);
            }
            if (first != null) {
                ByteBuf begin = first;
                first = null;
                socket.pipeline().fireChannelRead(begin);
            }
            carryOn(stream);
            socket.config().setAutoRead(true);
        } catch (RuntimeException e) {
            handler.counters().count(LoopCount.FAILED_HANDSHAKES);
            socket.close();
            channel.broken(new IOException("the channel could not be opened: " + e.getMessage(), e));
        } finally {
            release(first);
            release(written);
        }
    }

    /** Has the stream do what the channel was told to do. */
    private void carryOn(StreamTransport stream) {
        if (outputShutdown) {
            stream.shutdownOutput();
        } else {
            channel.writeAgain();
        }
        if (inputShutdown) {
            stream.shutdownInput(socket.newPromise());
        }
        Runnable whenOver = afterLinger;
        if (whenOver != null) {
            stream.linger(lingerSeconds, whenOver);
        } else if (closed) {
            stream.close();
        } else if (readWanted) {
            stream.beginRead();
        }
    }

    private static void release(@Nullable ByteBuf data) {
        if (data != null) {
            data.release();
        }
    }

    private void socketClosed() {
        if (!decided) {
            decided = true;
            stopTimer();
            handler.counters().add(LoopCount.PLAIN_CHANNELS, -1);
            release(head);
            release(held);
            head = null;
            held = null;
            channel.socketClosed();
        }
    }

    // ---- the channel

    @Override
    public void connected() {
        throw new IllegalStateException("of a server");
    }

    @Override
    public void beginRead() {
        readWanted = true;
    }

    @Override
    public void stopReading() {
        readWanted = false;
    }

    /** Holds back as much as a channel over UCX would queue. */
    @Override
    public void write(ChannelOutboundBuffer out) throws Exception {
        if (isLate) {
            PlainTransport plain = becomePlain();
            if (plain != null) {
                plain.write(out);
            }
            return;
        }
        for (Object message = out.current(); message != null; message = out.current()) {
            ByteBuf all = held;
            if (all == null) {
                all = channel.alloc().buffer();
                held = all;
            }
            int room = Math.max(0, Math.min(channel.config().getSendBufferSize(), AbstractUcxChannelConfig.SEND_BYTES)
                    - all.readableBytes());
            if (message instanceof ByteBuf data) {
                int length = Math.min(room, data.readableBytes());
                if (length == 0 && data.isReadable()) {
                    return;
                }
                all.writeBytes(data, data.readerIndex(), length);
                if (length == data.readableBytes()) {
                    out.remove();
                } else {
                    out.removeBytes(length);
                }
            } else if (!hold((FileRegion) message, all, room, out)) {
                return;
            }
        }
    }

    private static boolean hold(FileRegion region, ByteBuf all, int room, ChannelOutboundBuffer out)
            throws IOException {
        int before = all.readableBytes();
        all.ensureWritable(room);
        long length = Math.min(room, region.count() - region.transferred());
        if (length > 0) {
            ByteBuf part = all.slice(all.writerIndex(), (int) length).clear();
            try (BufferChannel target = new BufferChannel(part)) {
                region.transferTo(target, region.transferred());
            }
            all.writerIndex(all.writerIndex() + part.readableBytes());
            out.progress(part.readableBytes());
        }
        if (region.transferred() >= region.count()) {
            out.remove();
            return true;
        }
        return all.readableBytes() > before;
    }

    @Override
    public void shutdownOutput() {
        outputShutdown = true;
        if (isLate) {
            becomePlain();
        }
    }

    @Override
    public void shutdownInput(ChannelPromise promise) {
        inputShutdown = true;
        promise.setSuccess();
    }

    @Override
    public void linger(int seconds, Runnable whenOver) {
        afterLinger = whenOver;
        lingerSeconds = seconds;
        Future<?> limit = socket.eventLoop().schedule(whenOver, seconds, TimeUnit.SECONDS);
        socket.closeFuture().addListener(done -> {
            limit.cancel(false);
            whenOver.run();
        });
        close();
    }

    @Override
    public void close() {
        closed = true;
        if (channel.config().getSoLinger() == 0) {
            channel.config().resetSocketAtClose();
            socket.close();
        } else if (isLate && !decided) {
            becomePlain();
        }
    }
}
