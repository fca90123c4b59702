package io.reactorucx.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.SocketChannel;
import io.reactorucx.testsupport.ChildJvm;
import io.reactorucx.testsupport.TestTime;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Channels whose close waits until the peer has all. */
@Tag("slow")
@ParameterizedClass
@ValueSource(strings = {"shm", "tcp"})
class LingerTest {

    private static final Duration LIMIT = TestTime.seconds(30);
    private static final int LONG = 600;
    private static final int WINDOW = 64 << 10;
    private static final int MUCH = 1 << 20;

    @Parameter
    private String transport;

    private TestLoops serverLoops;
    private TestLoops clientLoops;
    private final List<Sink> sinks = new CopyOnWriteArrayList<>();
    private Channel server;

    /** Reads when it is told to. */
    private static final class Sink extends ChannelInboundHandlerAdapter {

        private volatile Channel channel;
        private volatile long received;
        private volatile boolean inactive;
        private volatile Throwable error;

        @Override
        public void channelActive(ChannelHandlerContext context) {
            channel = context.channel();
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf data = (ByteBuf) message;
            received += data.readableBytes();
            data.release();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            error = cause;
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            inactive = true;
        }
    }

    private UcxNettyConfig config(Duration closeTimeout) {
        return UcxNettyConfig.DEFAULT.withTransports(transport).withWindowBytes(WINDOW).withTimeouts(
                Duration.ofSeconds(10), closeTimeout, Duration.ofMinutes(10), Duration.ofMinutes(1));
    }

    @BeforeEach
    void start() {
        serverLoops = new TestLoops("server", 1, config(Duration.ofSeconds(30)));
        clientLoops = new TestLoops("client", 1, config(Duration.ofSeconds(30)));
        server = serverLoops.server().childOption(ChannelOption.AUTO_READ, false)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel accepted) {
                        Sink sink = new Sink();
                        accepted.pipeline().addLast(sink);
                        sinks.add(sink);
                    }
                }).bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)).syncUninterruptibly().channel();
    }

    @AfterEach
    void nothingIsLeft() {
        serverLoops.awaitNoChannels();
        clientLoops.awaitNoChannels();
        server.close().syncUninterruptibly();
        clientLoops.close();
        serverLoops.close();
    }

    private static Channel connect(TestLoops loops, SocketAddress address, int linger, Sink handler) {
        return loops.client().option(ChannelOption.SO_LINGER, linger).option(ChannelOption.SO_SNDBUF, MUCH)
                .handler(handler).connect(address).syncUninterruptibly().channel();
    }

    private static void write(Channel channel, int bytes) {
        channel.writeAndFlush(Unpooled.wrappedBuffer(new byte[bytes])).syncUninterruptibly();
    }

    private Sink peer() {
        await().atMost(LIMIT).until(() -> !sinks.isEmpty() && sinks.getFirst().channel != null);
        return sinks.getFirst();
    }

    private void awaitArrived(long bytes) {
        await().atMost(LIMIT).until(() -> serverLoops.sum(UcxLoopStatistics::receivedBytes) >= bytes);
    }

    private void awaitAllRead(Sink peer, long bytes) {
        peer.channel.config().setAutoRead(true);
        await().atMost(LIMIT).until(() -> peer.inactive);
        assertThat(peer.received).isEqualTo(bytes);
        assertThat(peer.error).isNull();
    }

    private static void awaitClosed(ChannelFuture closing) {
        assertThat(closing.awaitUninterruptibly(LIMIT.toMillis())).isTrue();
        assertThat(closing.cause()).isNull();
    }

    @Test
    void closeWaitsUntilThePeerHasAllAndTheLoopGoesOnMeanwhile() {
        Channel channel = connect(clientLoops, server.localAddress(), LONG, new Sink());
        write(channel, MUCH);
        awaitArrived(WINDOW);
        Sink peer = peer();

        ChannelFuture closing = channel.close();

        EchoChannel.connectAndEcho(clientLoops, EchoChannel.serve(serverLoops).localAddress()).channel().close()
                .syncUninterruptibly();
        assertThat(closing.isDone()).isFalse();
        assertThat(channel.isOpen()).isFalse();
        assertThat(channel.isActive()).isFalse();
        awaitAllRead(peer, MUCH);
        awaitClosed(closing);
    }

    /** As the kernel: what is in the window of the peer is with its transport. */
    @Test
    void closeDoesNotWaitForTheReader() {
        Channel channel = connect(clientLoops, server.localAddress(), LONG, new Sink());
        write(channel, WINDOW);

        awaitClosed(channel.close());

        assertThat(serverLoops.sum(UcxLoopStatistics::receivedBytes)).isEqualTo(WINDOW);
        assertThat(peer().received).isZero();
        awaitAllRead(peer(), WINDOW);
    }

    @Test
    void closeOfAnIdleChannelEnds() {
        Channel channel = connect(clientLoops, server.localAddress(), LONG, new Sink());
        write(channel, 1);
        awaitArrived(1);

        awaitClosed(channel.close());

        awaitAllRead(peer(), 1);
    }

    /** As the kernel: the rest goes behind it. */
    @Test
    void closeEndsWhenTheTimeIsOver() {
        Sink own = new Sink();
        Channel channel = connect(clientLoops, server.localAddress(), 1, own);
        write(channel, MUCH);
        awaitArrived(WINDOW);
        long start = System.nanoTime();

        awaitClosed(channel.close());

        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(TimeUnit.SECONDS.toNanos(1));
        await().atMost(LIMIT).until(() -> own.inactive);
        awaitAllRead(peer(), MUCH);
    }

    @Test
    void closeEndsWhenThePeerResetsTheChannel() {
        Channel channel = connect(clientLoops, server.localAddress(), LONG, new Sink());
        write(channel, MUCH);
        awaitArrived(WINDOW);
        ChannelFuture closing = channel.close();

        peer().channel.close().syncUninterruptibly();

        awaitClosed(closing);
    }

    /** As the listener of an HTTP response does while the next one is flushed. */
    @Test
    void nothingGoesBehindACloseAmidAFlush() {
        Channel channel = connect(clientLoops, server.localAddress(), LONG, new Sink());
        write(channel, 1);
        Sink peer = peer();
        ChannelFuture[] behind = new ChannelFuture[1];

        channel.eventLoop().submit(() -> {
            channel.write(Unpooled.wrappedBuffer(new byte[100])).addListener(ChannelFutureListener.CLOSE);
            behind[0] = channel.writeAndFlush(Unpooled.wrappedBuffer(new byte[100]));
        }).syncUninterruptibly();

        awaitClosed(channel.closeFuture());
        assertThat(behind[0].awaitUninterruptibly(LIMIT.toMillis())).isTrue();
        assertThat(behind[0].isSuccess()).isFalse();
        awaitAllRead(peer, 101);
        assertThat(serverLoops.sum(UcxLoopStatistics::violations)).isZero();
    }

    @Test
    void bothSidesMayLinger() {
        Channel channel = connect(clientLoops, server.localAddress(), LONG, new Sink());
        write(channel, 1);
        Sink peer = peer();
        peer.channel.config().setOption(ChannelOption.SO_LINGER, LONG);
        peer.channel.config().setAutoRead(true);
        await().atMost(LIMIT).until(() -> peer.received == 1);

        ChannelFuture closing = channel.close();
        ChannelFuture closingToo = peer.channel.close();

        awaitClosed(closing);
        awaitClosed(closingToo);
    }

    @Test
    void closeEndsWhenThePeerIsKilled() {
        try (ChildJvm child = ChildJvm.of(EchoServerProcess.class).arguments(transport).start()) {
            int port = Integer.parseInt(child.awaitLine(EchoServerProcess.PORT)
                    .substring(EchoServerProcess.PORT.length()));
            Sink own = new Sink();
            Channel channel = connect(clientLoops, new InetSocketAddress(InetAddress.getLoopbackAddress(), port), LONG,
                    own);
            write(channel, 1);
            await().atMost(LIMIT).until(() -> own.received == 1);
            child.signal("STOP");
            write(channel, 1);

            ChannelFuture closing = channel.close();

            EchoChannel.connectAndEcho(clientLoops, EchoChannel.serve(serverLoops).localAddress()).channel().close()
                    .syncUninterruptibly();
            assertThat(closing.isDone()).isFalse();
            child.signal("KILL");
            awaitClosed(closing);
        }
    }

    /** Netty does not prepare the handler of a loop that is told to shut down by one of its last tasks. */
    @ParameterizedTest(name = "by a task of its own: {0}")
    @ValueSource(booleans = {false, true})
    void theEndOfTheLoopEndsTheLinger(boolean byTask) throws InterruptedException {
        TestLoops ending = new TestLoops("ending", 1, config(Duration.ofSeconds(1)));
        Sink own = new Sink();
        Channel channel = connect(ending, server.localAddress(), LONG, own);
        write(channel, MUCH);
        // The channel's own queue is full: the loop has to end this one.
        ChannelFuture unsent = channel.writeAndFlush(Unpooled.wrappedBuffer(new byte[MUCH]));
        awaitArrived(WINDOW);
        ChannelPromise closing = channel.newPromise();
        if (byTask) {
            channel.eventLoop().submit(() -> {
                channel.close(closing);
                channel.eventLoop().shutdownGracefully(0, 10, TimeUnit.SECONDS);
            }).sync();
        } else {
            channel.close(closing);
        }

        ending.close();

        assertThat(closing.isSuccess()).isTrue();
        assertThat(unsent.isDone()).isTrue();
        assertThat(unsent.isSuccess()).isFalse();
        assertThat(own.inactive).isTrue();
        peer().channel.config().setAutoRead(true);
        await().atMost(LIMIT).until(() -> peer().inactive);
        assertThat(peer().error).isInstanceOf(IOException.class);
    }

    /** The whole of it goes within the timeout of closes if the peer reads. */
    @Test
    void theEndOfTheLoopLosesNothingThatThePeerTakes() {
        TestLoops ending = new TestLoops("ending", 1, config(Duration.ofSeconds(30)));
        Channel channel = connect(ending, server.localAddress(), LONG, new Sink());
        write(channel, MUCH);
        awaitArrived(WINDOW);
        channel.close();
        peer().channel.config().setAutoRead(true);

        ending.close();

        awaitAllRead(peer(), MUCH);
    }

    @Test
    void aPlainChannelLingersAsOneOfEpoll() throws IOException {
        try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Channel channel = clientLoops.client().option(UcxChannelOption.PLAIN_TCP, true)
                    .option(ChannelOption.SO_LINGER, LONG).handler(new Sink())
                    .connect(listening.getLocalSocketAddress()).syncUninterruptibly().channel();
            try (Socket peer = listening.accept()) {
                ChannelFuture written = channel.write(Unpooled.wrappedBuffer(new byte[MUCH]));
                int bytes = MUCH;
                while (channel.writeAndFlush(Unpooled.wrappedBuffer(new byte[MUCH]))
                        .awaitUninterruptibly(200, TimeUnit.MILLISECONDS)) {
                    bytes += MUCH;
                }
                assertThat(written.isSuccess()).isTrue();
                ChannelFuture closing = channel.close();
                EchoChannel.connectAndEcho(clientLoops, EchoChannel.serve(serverLoops).localAddress()).channel()
                        .close().syncUninterruptibly();
                assertThat(closing.isDone()).isFalse();
                assertThat(peer.getInputStream().readAllBytes()).hasSizeGreaterThanOrEqualTo(bytes);
                awaitClosed(closing);
            }
        }
    }

    @Test
    void optionsAreKept() {
        Channel channel = connect(clientLoops, server.localAddress(), LONG, new Sink());
        assertThat(channel.config().getOption(ChannelOption.SO_LINGER)).isEqualTo(LONG);
        for (int value : new int[] {0, 1, Integer.MAX_VALUE, -1}) {
            assertThat(channel.config().setOption(ChannelOption.SO_LINGER, value)).isTrue();
            assertThat(((UcxSocketChannelConfig) channel.config()).getSoLinger()).isEqualTo(value);
        }
        channel.config().setOption(ChannelOption.SO_LINGER, -7);
        assertThat(channel.config().getOption(ChannelOption.SO_LINGER)).isEqualTo(-1);
        write(channel, 1);
        awaitArrived(1);
        awaitClosed(channel.close());
        awaitAllRead(peer(), 1);
    }
}
