package io.reactorucx.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.IllegalReferenceCountException;
import io.reactorucx.testsupport.TestTime;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A program that writes data which it has released loses that channel, as over sockets of the kernel. */
@Tag("slow")
class ReleasedDataTest {

    private static final long LIMIT_SECONDS = TestTime.seconds(20).toSeconds();

    @ParameterizedTest
    @ValueSource(strings = {"posix", "tcp"})
    void releasedDataCostsItsOwnChannel(String transport) throws Exception {
        UcxNettyConfig config = UcxNettyConfig.DEFAULT.withTransports(transport, "self");
        try (TestLoops servers = new TestLoops("released-server", 1, config);
                TestLoops clients = new TestLoops("released-client", 1, config)) {
            Channel server = EchoChannel.serve(servers);
            ReleasedWriter writer = new ReleasedWriter();
            Channel broken = clients.client().handler(writer).connect(server.localAddress()).sync().channel();

            Throwable cause = writer.failure.get(LIMIT_SECONDS, TimeUnit.SECONDS);

            assertThat(cause).hasRootCauseInstanceOf(IllegalReferenceCountException.class);
            assertThat(broken.closeFuture().await(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
            EchoChannel other = EchoChannel.connectAndEcho(clients, server.localAddress());
            other.channel().close().sync();
            server.close().sync();
            servers.awaitNoChannels();
            assertThat(servers.sum(UcxLoopStatistics::violations)).isZero();
        }
    }

    /** Writes before the peer has opened the channel, so that the output waits for it. */
    private static final class ReleasedWriter extends ChannelInboundHandlerAdapter {

        private final CompletableFuture<Throwable> failure = new CompletableFuture<>();

        @Override
        public void channelActive(ChannelHandlerContext context) {
            ByteBuf released = Unpooled.directBuffer(8).writeZero(8);
            released.release();
            context.writeAndFlush(released).addListener(write -> failure.complete(write.cause()));
        }
    }
}
