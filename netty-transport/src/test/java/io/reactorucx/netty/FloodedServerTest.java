package io.reactorucx.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.socket.SocketChannel;
import io.reactorucx.netty.io.SocketFrame;
import io.reactorucx.testsupport.TestTime;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** More sockets than a loop has room for. */
@Tag("slow")
class FloodedServerTest {

    private static final Duration LIMIT = TestTime.seconds(20);
    private static final int MOST = 5;
    private static final int SOCKETS = 300;

    private final AtomicInteger registered = new AtomicInteger();
    private final AtomicInteger active = new AtomicInteger();
    private final AtomicInteger gone = new AtomicInteger();
    private final AtomicInteger errors = new AtomicInteger();
    private final List<Socket> sockets = new ArrayList<>();
    private TestLoops loops;
    private Channel server;

    private void start(boolean plain) {
        start(plain, UcxNettyConfig.DEFAULT);
    }

    private void start(boolean plain, UcxNettyConfig config) {
        loops = new TestLoops("server", 1, config.withLimits(10, MOST).withClientShare(1)
                .withPlainTcp(UcxPlainTcpConfig.DEFAULT.withAccepted(plain).withDecisionTime(Duration.ofMinutes(1))));
        server = loops.server().childHandler(new ChannelInitializer<SocketChannel>() {
            @Override
            protected void initChannel(SocketChannel accepted) {
                registered.incrementAndGet();
                accepted.pipeline().addLast(new Counter());
            }
        }).bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)).syncUninterruptibly().channel();
    }

    private final class Counter extends ChannelInboundHandlerAdapter {

        @Override
        public void channelActive(ChannelHandlerContext context) {
            active.incrementAndGet();
        }

        @Override
        public void channelUnregistered(ChannelHandlerContext context) {
            gone.incrementAndGet();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            errors.incrementAndGet();
            context.close();
        }
    }

    @AfterEach
    void end() throws IOException {
        for (Socket each : sockets) {
            each.close();
        }
        await().atMost(LIMIT).untilAsserted(() -> {
            assertThat(loops.sum(UcxLoopStatistics::channels)).isZero();
            assertThat(loops.sum(UcxLoopStatistics::plainChannels)).isZero();
        });
        server.close().syncUninterruptibly();
        loops.close();
    }

    private Socket connect() throws IOException {
        Socket socket = RawSockets.connect(server);
        sockets.add(socket);
        return socket;
    }

    private static boolean isEnded(Socket socket) throws IOException {
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketException e) {
            assertThat(e).hasMessageContaining("reset");
            return true;
        }
    }

    private void flood() throws IOException {
        for (int i = 0; i < MOST; i++) {
            connect();
        }
        await().atMost(LIMIT).until(() -> active.get() == MOST);
        for (int i = 0; i < SOCKETS; i++) {
            try (Socket refused = connect()) {
                assertThat(isEnded(refused)).isTrue();
            }
        }
    }

    /** A registration that fails is logged with its stack, so none does: the handlers of each channel were added. */
    private void assertRefusedInSilence() {
        await().atMost(LIMIT).untilAsserted(() -> assertThat(gone).hasValue(SOCKETS));
        assertThat(loops.sum(UcxLoopStatistics::refusedChannels)).isEqualTo(SOCKETS);
        assertThat(registered).hasValue(MOST + SOCKETS);
        assertThat(active).hasValue(MOST);
        assertThat(errors).hasValue(0);
    }

    @Test
    void socketsBeyondTheLimitAreRefusedInSilence() throws IOException {
        start(false);
        flood();
        assertRefusedInSilence();
        assertThat(loops.sum(UcxLoopStatistics::channels)).isEqualTo(MOST);
    }

    @Test
    void undecidedSocketsBeyondTheLimitAreRefusedInSilence() throws IOException {
        start(true);
        flood();
        assertRefusedInSilence();
        assertThat(loops.sum(UcxLoopStatistics::plainChannels)).isEqualTo(MOST);
    }

    /** A peer that is one says it once, behind its first frame: a server would read on without end. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void peerThatSaysAgainThatItHasClosedIsClosed(boolean greets) throws IOException {
        start(false, UcxNettyConfig.DEFAULT.withTimeouts(Duration.ofHours(1), Duration.ofSeconds(5),
                Duration.ofSeconds(10), Duration.ofMinutes(1)));
        ByteBuf closed = new SocketFrame.Closed().encode(UnpooledByteBufAllocator.DEFAULT);
        byte[] frame = ByteBufUtil.getBytes(closed);
        closed.release();
        Socket socket = connect();
        if (greets) {
            socket.getOutputStream().write(RawSockets.HELLO);
            assertThat(socket.getInputStream().readNBytes(40)).hasSize(40);
            socket.getOutputStream().write(frame);
        }

        socket.getOutputStream().write(frame);

        assertThat(isEnded(socket)).isTrue();
        assertThat(loops.sum(UcxLoopStatistics::failedHandshakes)).isEqualTo(1);
    }

    /** They are all active while they are undecided. */
    @Test
    void clientsOfUcxBeyondTheLimitAreRefusedWhenTheyAreDecided() throws IOException {
        start(true);
        for (int i = 0; i < MOST; i++) {
            Socket socket = connect();
            socket.getOutputStream().write(RawSockets.HELLO);
            assertThat(socket.getInputStream().readNBytes(40)).hasSize(40);
        }
        for (int i = 0; i < SOCKETS; i++) {
            try (Socket refused = connect()) {
                refused.getOutputStream().write(RawSockets.HELLO);
                assertThat(isEnded(refused)).isTrue();
            }
        }
        await().atMost(LIMIT).untilAsserted(() -> assertThat(gone).hasValue(SOCKETS));
        assertThat(loops.sum(UcxLoopStatistics::refusedChannels)).isEqualTo(SOCKETS);
        assertThat(errors).hasValue(0);
    }
}
