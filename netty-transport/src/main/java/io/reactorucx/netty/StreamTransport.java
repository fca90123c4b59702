package io.reactorucx.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.ServerSocketChannel;
import io.reactorucx.netty.internal.ChannelStream;
import io.reactorucx.netty.internal.LoopEngine;
import io.reactorucx.netty.internal.StreamListener;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a channel go over UCX.
 *
 * <p>Thread: loop.
 */
final class StreamTransport implements ChannelTransport, StreamListener {

    private final UcxSocketChannel channel;
    private final ChannelReader reader;
    private final ChannelSocket control;
    private final ChannelStream stream;

    private StreamTransport(UcxSocketChannel channel, ChannelSocket control, LoopEngine engine, int window,
            int maxChannels) {
        this.channel = channel;
        this.reader = new ChannelReader(channel);
        this.control = control;
        ChannelStream made = engine.newStream(window, this, control);
        if (made == null) {
            throw new IllegalStateException("the loop has as many channels as its maxChannels " + maxChannels
                    + " allows");
        }
        this.stream = made;
        control.stream(made);
    }

    /** The transport of a channel that a server has accepted; null if the loop has as many channels as it may. */
    static @Nullable StreamTransport ofServer(UcxSocketChannel channel, EpollSocketChannel socket,
            UcxIoHandler handler) {
        LoopEngine engine = handler.engineForServer(socket.localAddress());
        if (!engine.hasRoomForStream()) {
            return null;
        }
        StreamTransport made = open(channel, socket, handler, engine, linkAddress(channel, socket));
        made.stream.startHandshakeTime();
        return made;
    }

    /** Where the loop listens for links: at the address of the server, also if that is the wildcard address. */
    private static InetAddress linkAddress(UcxSocketChannel channel, EpollSocketChannel socket) {
        ServerSocketChannel server = channel.parent();
        InetSocketAddress bound = server == null ? null : server.localAddress();
        return bound == null ? socket.localAddress().getAddress() : bound.getAddress();
    }

    /** The transport of a channel that connects. */
    static StreamTransport ofClient(UcxSocketChannel channel, EpollSocketChannel socket, UcxIoHandler handler,
            InetSocketAddress remote) {
        return open(channel, socket, handler, handler.engineForClient(remote), null);
    }

    private static StreamTransport open(UcxSocketChannel channel, EpollSocketChannel socket, UcxIoHandler handler,
            LoopEngine engine, @Nullable InetAddress linkAddress) {
        ChannelSocket control = new ChannelSocket(socket, linkAddress, engine.links(), handler.counters());
        StreamTransport made = new StreamTransport(channel, control, engine,
                channel.config().openWindow(handler.config().windowBytes()), handler.config().maxChannels());
        socket.pipeline().addLast(control);
        return made;
    }

    @Override
    public void connected() {
        stream.startHandshakeTime();
        control.greet();
    }

    @Override
    public void beginRead() {
        reader.want();
        if (!channel.isInputShutdown()) {
            stream.readLater();
        }
    }

    @Override
    public void stopReading() {
        reader.wantNot();
    }

    @Override
    public void write(ChannelOutboundBuffer out) throws IOException {
        ChannelWriter.write(out, stream, channel.config().getSendBufferSize(), channel.alloc());
    }

    /** Sends what was written before it was known that the channel goes over UCX. */
    void write(ByteBuf data) {
        stream.write(data);
        stream.flush();
    }

    @Override
    public void shutdownOutput() {
        stream.shutdownOutput();
    }

    @Override
    public void shutdownInput(ChannelPromise promise) {
        stream.shutdownInput();
        promise.setSuccess();
    }

    @Override
    public @Nullable Executor closing() {
        return null;
    }

    @Override
    public void close() {
        stream.close(channel.config().getSoLinger() == 0);
    }

    // ---- what the stream tells

    @Override
    public ByteBufAllocator allocator() {
        return channel.alloc();
    }

    @Override
    public void readable() {
        reader.readable(stream);
    }

    @Override
    public void writable() {
        channel.writeAgain();
    }

    @Override
    public void broken(IOException cause) {
        channel.broken(cause);
    }
}
