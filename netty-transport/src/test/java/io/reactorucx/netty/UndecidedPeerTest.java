package io.reactorucx.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.DefaultFileRegion;
import io.netty.channel.socket.SocketChannel;
import io.reactorucx.testsupport.TestTime;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Peers of a server that takes plain peers, which show slowly, badly or never what they are. */
@Tag("slow")
@ExtendWith(BufferLeaks.class)
class UndecidedPeerTest {

    private static final Duration LIMIT = TestTime.seconds(20);
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final Duration SHORT = Duration.ofMillis(50);
    private static final byte[] HELLO = RawSockets.HELLO;

    private final AtomicInteger accepted = new AtomicInteger();
    private final AtomicInteger gone = new AtomicInteger();
    private TestLoops loops;
    private Channel server;

    private void start(Duration decisionTime, Consumer<Channel> whenActive) {
        loops = new TestLoops("server", 1, UcxNettyConfig.DEFAULT
                .withTimeouts(LIMIT, Duration.ofSeconds(1), Duration.ofSeconds(10), LONG)
                .withPlainTcp(UcxPlainTcpConfig.DEFAULT.withAccepted(true).withDecisionTime(decisionTime)));
        server = loops.server().childHandler(new ChannelInitializer<SocketChannel>() {
            @Override
            protected void initChannel(SocketChannel made) {
                made.pipeline().addLast(new Echo(whenActive));
            }
        }).bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)).syncUninterruptibly().channel();
    }

    /** Sends back what comes, after what it is told to do first. */
    private final class Echo extends ChannelInboundHandlerAdapter {

        private final Consumer<Channel> whenActive;

        Echo(Consumer<Channel> whenActive) {
            this.whenActive = whenActive;
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            accepted.incrementAndGet();
            whenActive.accept(context.channel());
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.writeAndFlush(message);
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            gone.incrementAndGet();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }

    @AfterEach
    void nothingIsLeft() {
        await().atMost(LIMIT).untilAsserted(() -> {
            assertThat(gone.get()).isEqualTo(accepted.get());
            assertThat(loops.sum(UcxLoopStatistics::channels)).isZero();
            assertThat(loops.sum(UcxLoopStatistics::plainChannels)).isZero();
        });
        server.close().syncUninterruptibly();
        loops.close();
    }

    private Socket connect() throws IOException {
        return RawSockets.connect(server);
    }

    private void awaitAccepted(int count) {
        await().pollInterval(Duration.ofMillis(1)).atMost(LIMIT).until(() -> accepted.get() == count);
    }

    private static ByteBuf text(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII);
    }

    private static String read(Socket socket, int bytes) throws IOException {
        return new String(socket.getInputStream().readNBytes(bytes), StandardCharsets.US_ASCII);
    }

    @Test
    void bytesThatComeOneByOneDecideAsTheyDoAtOnce() throws Exception {
        start(LONG, channel -> { });
        try (Socket plain = connect(); Socket almost = connect(); Socket ucx = connect()) {
            awaitAccepted(3);
            byte[] almostHello = "RUCK at it".getBytes(StandardCharsets.US_ASCII);
            byte[] request = "GET / HTTP".getBytes(StandardCharsets.US_ASCII);
            for (int i = 0; i < HELLO.length; i++) {
                if (i < request.length) {
                    plain.getOutputStream().write(request[i]);
                    almost.getOutputStream().write(almostHello[i]);
                }
                ucx.getOutputStream().write(HELLO[i]);
                // A task of the loop comes to its turn behind the sockets that are ready.
                server.eventLoop().submit(() -> { }).sync();
            }
            assertThat(read(plain, request.length)).isEqualTo("GET / HTTP");
            assertThat(read(almost, almostHello.length)).isEqualTo("RUCK at it");
            assertThat(ucx.getInputStream().readNBytes(40)).as("WELCOME").hasSize(40).startsWith(HELLO[0], HELLO[1]);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 10})
    void theEndAmidTheDecisionClosesTheChannel(int bytes) throws IOException {
        start(LONG, channel -> { });
        try (Socket socket = connect()) {
            awaitAccepted(1);
            socket.getOutputStream().write(HELLO, 0, bytes);
            socket.shutdownOutput();
            assertThat(socket.getInputStream().readAllBytes()).as("what came is sent back to a plain peer")
                    .hasSize(bytes < Integer.BYTES ? bytes : 0);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, 4, 10})
    void aResetAmidTheDecisionClosesTheChannel(int bytes) throws IOException {
        start(LONG, channel -> { });
        Socket socket = connect();
        awaitAccepted(1);
        socket.getOutputStream().write(HELLO, 0, bytes);
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Test
    void whatIsWrittenBeforeTheDecisionComesInItsOrder(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("file"), "file,");
        CompletableFuture<ChannelFuture> cancelled = new CompletableFuture<>();
        start(LONG, channel -> {
            channel.write(text("first,"));
            ChannelFuture second = channel.write(text("cancelled,"));
            second.cancel(false);
            cancelled.complete(second);
            channel.write(new DefaultFileRegion(file.toFile(), 0, 5));
            channel.writeAndFlush(text("last,"));
        });
        try (Socket socket = connect()) {
            assertThat(cancelled.get(LIMIT.toSeconds(), TimeUnit.SECONDS).isCancelled()).isTrue();
            socket.getOutputStream().write('x');
            assertThat(read(socket, 17)).isEqualTo("first,file,last,x");
        }
    }

    @Test
    void nothingThatIsWrittenBeforeTheDecisionIsNoDataOverUcx() {
        start(LONG, channel -> channel.writeAndFlush(Unpooled.EMPTY_BUFFER));
        try (TestLoops clientLoops = new TestLoops("client", 1, UcxNettyConfig.DEFAULT)) {
            EchoChannel.connectAndEcho(clientLoops, server.localAddress()).channel().close().syncUninterruptibly();
            assertThat(clientLoops.sum(UcxLoopStatistics::violations)).isZero();
        }
    }

    @Test
    void aChannelThatClosesBeforeTheDecisionSendsWhatItHasWritten() throws IOException {
        start(SHORT, channel -> {
            channel.writeAndFlush(text("bye"));
            channel.close();
        });
        try (Socket silent = connect(); Socket speaking = connect()) {
            speaking.getOutputStream().write('R');
            assertThat(new String(silent.getInputStream().readAllBytes(), StandardCharsets.US_ASCII)).isEqualTo("bye");
            assertThat(read(speaking, 3)).isEqualTo("bye");
        }
    }

    /** It takes nothing of what the server has written before it has closed. */
    @Test
    void aPeerThatIsSilentForeverIsGoneWithItsClosedChannel() throws IOException {
        start(SHORT, Channel::close);
        try (Socket silent = connect()) {
            assertThat(silent.getInputStream().read()).isEqualTo(-1);
        }
    }
}
