package io.reactorucx.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DuplexChannel;
import io.reactorucx.netty.counter.LoopCount;
import io.reactorucx.netty.internal.ChannelStream;
import io.reactorucx.netty.internal.LoopEngine;
import io.reactorucx.netty.internal.StreamListener;
import io.reactorucx.netty.io.ChannelRoom;
import io.reactorucx.netty.io.ChannelSocket;
import io.reactorucx.netty.io.ChannelWriter;
import io.reactorucx.security.PeerCertificates;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a channel go over UCX.
 *
 * <p>Thread: loop.
 */
final class StreamTransport implements ChannelTransport, StreamListener {

    private final AbstractUcxChannel channel;
    private final ChannelReader reader;
    private final ChannelSocket control;
    private final ChannelStream stream;

    private StreamTransport(AbstractUcxChannel channel, ChannelSocket control, LoopEngine engine, int window,
            int maxChannels) {
        this.channel = channel;
        this.reader = new ChannelReader(channel, channel::inputEnded);
        this.control = control;
        ChannelStream made = engine.streams().add(window, this, control);
        if (made == null) {
            throw new IllegalStateException("the loop has as many channels as its maxChannels " + maxChannels
                    + " allows");
        }
        this.stream = made;
        control.stream(made);
    }

    /** The transport of a channel that a server has accepted; null if the loop has as many channels as it may. */
    static @Nullable StreamTransport ofServer(AbstractUcxChannel channel, DuplexChannel socket,
            UcxIoHandler handler) {
        LoopEngine engine = handler.engineForServer(channel.host());
        if (!engine.streams().hasRoom()) {
            return null;
        }
        if (ChannelRoom.take(socket, handler.counters().acceptedStreams()) == null) {
            handler.counters().count(LoopCount.REFUSED);
            return null;
        }
        StreamTransport made = open(channel, socket, handler, engine, channel.linkAddress());
        made.stream.lifecycle().startHandshakeTime();
        return made;
    }

    /** The transport of a channel that connects. */
    static StreamTransport ofClient(AbstractUcxChannel channel, DuplexChannel socket, UcxIoHandler handler,
            InetSocketAddress host) {
        return open(channel, socket, handler, handler.engineForClient(host), null);
    }

    private static StreamTransport open(AbstractUcxChannel channel, DuplexChannel socket, UcxIoHandler handler,
            LoopEngine engine, @Nullable InetAddress linkAddress) {
        ChannelSocket control = new ChannelSocket(socket, linkAddress, channel::linkPeer, engine.links(),
                handler.counters());
        StreamTransport made = new StreamTransport(channel, control, engine,
                channel.config().openWindow(handler.config().windowBytes()), handler.config().maxChannels());
        socket.pipeline().addLast(control);
        return made;
    }

    @Nullable PeerCertificates peerCertificates() {
        return stream.lifecycle().peerCertificates();
    }

    @Override
    public void connected() {
        stream.lifecycle().startHandshakeTime();
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
    public void linger(int seconds, Runnable whenOver) {
        stream.lifecycle().closeLingering(TimeUnit.SECONDS.toNanos(seconds), whenOver);
    }

    @Override
    public void close() {
        stream.lifecycle().close(channel.config().getSoLinger() == 0);
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
