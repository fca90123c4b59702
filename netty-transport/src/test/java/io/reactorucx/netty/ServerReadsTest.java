package io.reactorucx.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.channel.ServerChannelRecvByteBufAllocator;
import io.netty.util.ReferenceCountUtil;
import io.reactorucx.testsupport.ChildJvm;
import io.reactorucx.testsupport.ChildProcess;
import io.reactorucx.testsupport.TestTime;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A channel's socket reads and accepts when the channel is to, and not otherwise. */
@Tag("slow")
class ServerReadsTest {

    private static final String PRLIMIT = "/usr/bin/prlimit";
    private static final Duration LIMIT = TestTime.seconds(20);
    private static final String HOST = "127.0.0.1";
    private static final int BATCH = 2;

    @TempDir
    private Path folder;

    @Test
    void aServerWithoutFilesTriesAgainWhenItIsToldTo() throws IOException {
        try (ChildJvm child = ChildJvm.of(ServerWithoutFiles.class).start()) {
            int port = Integer.parseInt(child.awaitLine(ServerWithoutFiles.READY)
                    .substring(ServerWithoutFiles.READY.length()));
            assertTriesOnce(child, StandardProtocolFamily.INET, new InetSocketAddress(HOST, port));
        }
    }

    @Test
    void aServerOfADomainSocketWithoutFilesTriesAgainWhenItIsToldTo() throws IOException {
        Path path = folder.resolve("socket");
        try (ChildJvm child = ChildJvm.of(ServerWithoutFiles.class).arguments(path.toString()).start()) {
            child.awaitLine(ServerWithoutFiles.READY);
            assertTriesOnce(child, StandardProtocolFamily.UNIX, UnixDomainSocketAddress.of(path));
        }
    }

    private static void assertTriesOnce(ChildJvm child, StandardProtocolFamily family, SocketAddress address)
            throws IOException {
        assumeTrue(Files.isExecutable(Path.of(PRLIMIT)), "prlimit (package util-linux) is not installed");
        try (SocketChannel first = SocketChannel.open(family); SocketChannel second = SocketChannel.open(family)) {
            first.connect(address);
            child.awaitLine(ServerWithoutFiles.ACCEPTED);
            limitFiles(child, "3:");
            second.connect(address);
            assertThat(child.awaitLine(ServerWithoutFiles.FAILED)).contains("Too many open files");

            child.send(ServerWithoutFiles.ROUNDS);

            assertThat(child.awaitLine(ServerWithoutFiles.COUNT)).isEqualTo(ServerWithoutFiles.COUNT + 1);
            limitFiles(child, "1024:");
            child.send(ServerWithoutFiles.READ);
            child.awaitLine(ServerWithoutFiles.ACCEPTED);
            child.send(ServerWithoutFiles.END);
            assertThat(child.result().exitCode()).as("%s", child.output()).isZero();
        }
    }

    private static void limitFiles(ChildJvm child, String limit) {
        ProcessBuilder command = new ProcessBuilder(PRLIMIT, "--pid", String.valueOf(child.handle().pid()),
                "--nofile=" + limit);
        try (ChildProcess limiting = ChildProcess.start(command)) {
            assertThat(limiting.result().exitCode()).isZero();
        }
    }

    /** Counts what the server accepts, and how many before it pauses. */
    private static final class Accepted extends ChannelInboundHandlerAdapter {

        private final Queue<Integer> batches = new ConcurrentLinkedQueue<>();
        private int batch;

        @Override
        public void channelRead(ChannelHandlerContext context, Object accepted) {
            batch++;
            ((Channel) accepted).unsafe().closeForcibly();
            ReferenceCountUtil.release(accepted);
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            if (batch > 0) {
                batches.add(batch);
                batch = 0;
            }
            context.fireChannelReadComplete();
        }
    }

    private static Channel server(EventLoop loop, Accepted accepted) throws InterruptedException {
        Channel server = new UcxServerChannel();
        server.config().setAutoRead(false);
        server.config().setRecvByteBufAllocator(
                new ServerChannelRecvByteBufAllocator().respectMaybeMoreData(false).maxMessagesPerRead(BATCH));
        server.pipeline().addLast(accepted);
        loop.register(server).sync();
        server.bind(new InetSocketAddress(HOST, 0)).sync();
        return server;
    }

    @Test
    void aServerAcceptsAsManyAtATimeAsItsAllocatorSays() throws Exception {
        try (TestLoops loops = new TestLoops("loop", 1, UcxNettyConfig.DEFAULT)) {
            Accepted accepted = new Accepted();
            Channel server = server(loops.server().config().group().next(), accepted);
            List<Socket> clients = new ArrayList<>();
            for (int i = 0; i < BATCH + 1; i++) {
                clients.add(new Socket(HOST, ((InetSocketAddress) server.localAddress()).getPort()));
            }

            server.config().setAutoRead(true);

            await().atMost(LIMIT).untilAsserted(() -> assertThat(accepted.batches).containsExactly(BATCH, 1));
            server.close().sync();
            for (Socket client : clients) {
                client.close();
            }
        }
    }

    @Test
    void aServerGoesOnOnAnotherLoop() throws Exception {
        try (TestLoops loops = new TestLoops("loop", 2, UcxNettyConfig.DEFAULT)) {
            EventLoop first = loops.server().config().group().next();
            EventLoop second = loops.server().config().group().next();
            Accepted accepted = new Accepted();
            Channel server = server(first, accepted);
            server.read();
            server.deregister().sync();
            try (Socket client = new Socket(HOST, ((InetSocketAddress) server.localAddress()).getPort())) {
                first.submit(() -> { }).sync();
                assertThat(accepted.batches).as("accepted without a loop").isEmpty();

                second.register(server).sync();
                server.read();

                await().atMost(LIMIT).until(() -> !accepted.batches.isEmpty());
                assertThat(accepted.batches).containsExactly(1);
                assertThat(client.isConnected()).isTrue();
            }
            server.close().sync();
        }
    }

    /** Counts bytes. */
    private static final class Bytes extends ChannelInboundHandlerAdapter {

        private final AtomicInteger read = new AtomicInteger();
        private volatile Channel channel;

        @Override
        public void channelRegistered(ChannelHandlerContext context) {
            channel = context.channel();
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            read.addAndGet(((ByteBuf) message).readableBytes());
            ReferenceCountUtil.release(message);
        }
    }

    @Test
    void aChannelWithoutItsLoopDoesNotRead() throws Exception {
        try (TestLoops loops = new TestLoops("server", 1, UcxNettyConfig.DEFAULT);
                TestLoops clients = new TestLoops("client", 1, UcxNettyConfig.DEFAULT)) {
            Bytes bytes = new Bytes();
            Channel server = loops.server().childHandler(bytes).bind(HOST, 0).sync().channel();
            Channel client = clients.client().handler(new ChannelInboundHandlerAdapter())
                    .connect(server.localAddress()).sync().channel();
            client.writeAndFlush(Unpooled.wrappedBuffer(new byte[1])).sync();
            await().atMost(LIMIT).until(() -> bytes.read.get() == 1);
            Channel accepted = bytes.channel;
            EventLoop loop = accepted.eventLoop();
            accepted.deregister().sync();

            client.writeAndFlush(Unpooled.wrappedBuffer(new byte[2])).sync();
            await().atMost(LIMIT).until(() -> loops.sum(UcxLoopStatistics::receivedBytes) == 3);
            loop.submit(() -> { }).sync();
            assertThat(bytes.read).as("read without a loop").hasValue(1);

            loop.register(accepted).sync();
            await().atMost(LIMIT).until(() -> bytes.read.get() == 3);
            client.close().sync();
            server.close().sync();
        }
    }
}
