package io.reactorucx.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.util.ReferenceCountUtil;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.testsupport.TestTime;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Loops that end without a quiet period while their channels have bytes to send. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class EndingLoopsTest {

    private static final int CHANNELS = 20;
    private static final int BYTES = 4 << 20;
    private static final long SECONDS = TestTime.seconds(20).toSeconds();

    /** Sends a byte, and reads nothing. */
    @Sharable
    private static final class Greeter extends ChannelInboundHandlerAdapter {

        @Override
        public void channelActive(ChannelHandlerContext context) {
            context.writeAndFlush(Unpooled.wrappedBuffer(new byte[1]));
        }
    }

    /**
     * Sends more than the server takes, and ends the loop, once each channel has been greeted. It does so within a
     * round of the loop; LingerTest has an end that a loop finds behind its round.
     */
    @Sharable
    private static final class EndingClient extends ChannelInboundHandlerAdapter {

        private final Queue<Channel> greeted = new ConcurrentLinkedQueue<>();
        private final boolean closesBefore;

        EndingClient(boolean closesBefore) {
            this.closesBefore = closesBefore;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ReferenceCountUtil.release(message);
            greeted.add(context.channel());
            if (greeted.size() == CHANNELS) {
                greeted.forEach(each -> each.writeAndFlush(Unpooled.wrappedBuffer(new byte[BYTES])));
                if (closesBefore) {
                    greeted.forEach(Channel::close);
                }
                context.channel().eventLoop().parent().shutdownGracefully(0, SECONDS, TimeUnit.SECONDS);
            }
        }
    }

    @ParameterizedTest(name = "channels closed before: {0}")
    @ValueSource(booleans = {false, true})
    void loopsTakeTheTasksOfTheirLastChannels(boolean closedBefore) throws InterruptedException {
        PrintStream before = System.err;
        ByteArrayOutputStream log = new ByteArrayOutputStream();
        System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
        UcxNettyConfig config = UcxNettyConfig.DEFAULT;
        config = config.withTimeouts(config.handshakeTimeout(), Duration.ofMillis(300), config.heartbeatInterval(),
                config.linkIdleTimeout());
        List<Channel> all = new ArrayList<>();
        try (TestLoops servers = new TestLoops("ending-servers", 1, config);
                TestLoops clients = new TestLoops("ending-clients", 1, config)) {
            EndingClient ending = new EndingClient(closedBefore);
            Channel server = servers.server().childHandler(new Greeter()).childOption(ChannelOption.AUTO_READ, false)
                    .bind("127.0.0.1", 0).sync().channel();
            for (int i = 0; i < CHANNELS; i++) {
                all.add(clients.client().handler(ending).connect(server.localAddress()).channel());
            }
            for (Channel each : all) {
                assertThat(each.closeFuture().await(SECONDS, TimeUnit.SECONDS)).isTrue();
            }
        } finally {
            System.setErr(before);
        }
        assertThat(log.toString(StandardCharsets.UTF_8).lines().filter(line -> line.startsWith("[ending-clients")))
                .noneMatch(line -> line.contains("WARN") || line.contains("ERROR"));
    }
}
