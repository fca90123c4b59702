package io.reactorucx.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.reactorucx.testsupport.NoLeaks;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Loops that end without a quiet period while their channels have bytes to send. */
@ExtendWith(NoLeaks.class)
class EndingLoopsTest {

    private static final int CHANNELS = 20;
    private static final int BYTES = 100_000;

    /** Sends back what comes. */
    @Sharable
    private static final class Echo extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.writeAndFlush(message);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }

    @ParameterizedTest(name = "channels closed before: {0}")
    @ValueSource(booleans = {false, true})
    void loopsTakeTheTasksOfTheirLastChannels(boolean closedBefore) throws InterruptedException {
        PrintStream before = System.err;
        ByteArrayOutputStream log = new ByteArrayOutputStream();
        System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
        List<Channel> all = new ArrayList<>();
        try (TestLoops servers = new TestLoops("ending-servers", 1, UcxNettyConfig.DEFAULT);
                TestLoops clients = new TestLoops("ending-clients", 1, UcxNettyConfig.DEFAULT)) {
            Echo echo = new Echo();
            Channel server = servers.server().childHandler(echo).bind("127.0.0.1", 0).sync().channel();
            all.add(server);
            for (int i = 0; i < CHANNELS; i++) {
                Channel client = clients.client().handler(echo).connect(server.localAddress()).sync().channel();
                client.writeAndFlush(Unpooled.wrappedBuffer(new byte[BYTES]));
                all.add(client);
            }
            if (closedBefore) {
                all.forEach(Channel::close);
            }
        } finally {
            System.setErr(before);
        }
        assertThat(all).allMatch(each -> each.closeFuture().isDone());
        assertThat(log.toString(StandardCharsets.UTF_8).lines().filter(line -> line.contains("WARN")
                || line.contains("ERROR"))).isEmpty();
    }
}
