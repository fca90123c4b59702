package io.reactorucx.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.reactorucx.testsupport.TestTime;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** A client's channel that counts what comes back, checks it, and keeps why it has ended. */
final class EchoChannel extends ChannelInboundHandlerAdapter {

    private static final Duration LIMIT = TestTime.seconds(30);
    private static final int PART_BYTES = 8192;

    private volatile @Nullable Channel channel;
    private volatile @Nullable Throwable error;
    private volatile boolean streams;
    private volatile long sent;
    private volatile long received;
    private volatile long wrongAt = -1;

    private EchoChannel() {
    }

    /** Answers each byte. */
    private static final class Echo extends ChannelInboundHandlerAdapter {

        private final List<Throwable> errors;

        Echo(List<Throwable> errors) {
            this.errors = errors;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.write(message);
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            errors.add(cause);
            context.close();
        }
    }

    /** Binds a server that echoes; its channels add why they have ended. */
    static Channel serve(TestLoops loops, List<Throwable> errors) {
        return serve(loops, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), errors);
    }

    static Channel serve(TestLoops loops, SocketAddress address, List<Throwable> errors) {
        return serve(loops.server(address), address, errors);
    }

    static Channel serve(ServerBootstrap server, SocketAddress address, List<Throwable> errors) {
        return server.childHandler(new ChannelInitializer<Channel>() {
            @Override
            protected void initChannel(Channel accepted) {
                accepted.pipeline().addLast(new Echo(errors));
            }
        }).bind(address).syncUninterruptibly().channel();
    }

    static Channel serve(TestLoops loops) {
        return serve(loops, new CopyOnWriteArrayList<>());
    }

    /** Connects. */
    static EchoChannel connect(TestLoops loops, SocketAddress server) {
        EchoChannel made = new EchoChannel();
        made.channel = loops.client(server).handler(made).connect(server).syncUninterruptibly().channel();
        return made;
    }

    /** Connects as often as is needed to have a first echo: a busy machine may exceed a short timeout. */
    static EchoChannel connectAndEcho(TestLoops loops, SocketAddress server) {
        return await().atMost(LIMIT).ignoreExceptionsInstanceOf(IllegalStateException.class).until(() -> {
            EchoChannel made = connect(loops, server);
            made.echo();
            return made;
        }, made -> true);
    }

    Channel channel() {
        Channel connected = channel;
        if (connected == null) {
            throw new IllegalStateException("not connected");
        }
        return connected;
    }

    /** Writes from now on as long as the channel is writable. */
    void stream() {
        streams = true;
        channel().eventLoop().execute(this::write);
    }

    /** Stops all of them, and waits until all has come back: those that go on would take the time of the others. */
    static void drain(List<EchoChannel> channels) {
        channels.forEach(each -> each.channel().eventLoop().submit(() -> each.streams = false).syncUninterruptibly());
        channels.forEach(EchoChannel::awaitAll);
    }

    /** Sends something, and waits until it is back. */
    void echo() {
        channel().eventLoop().submit(this::writePart).syncUninterruptibly();
        awaitAll();
    }

    private void awaitAll() {
        await().pollInterval(Duration.ofMillis(5)).atMost(LIMIT).untilAsserted(() -> {
            if (received != sent && !channel().isActive()) {
                throw new IllegalStateException("ended with " + received + " of " + sent + " bytes", error);
            }
            assertThat(received).isEqualTo(sent);
        });
        assertThat(wrongAt).isEqualTo(-1);
    }

    private void write() {
        while (streams && channel().isActive() && channel().isWritable()) {
            writePart();
        }
    }

    private void writePart() {
        ByteBuf part = channel().alloc().directBuffer(PART_BYTES);
        for (int i = 0; i < PART_BYTES; i++) {
            part.writeByte(RandomPeer.byteAt(sent + i));
        }
        sent += PART_BYTES;
        channel().writeAndFlush(part);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf data = (ByteBuf) message;
        if (wrongAt < 0) {
            wrongAt = RandomPeer.firstWrong(data, received);
        }
        received += data.readableBytes();
        data.release();
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        if (streams) {
            write();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        context.executor().execute(this::write);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        error = cause;
    }

    long received() {
        return received;
    }

    @Nullable Throwable error() {
        return error;
    }
}
