package io.reactorucx.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelOutputShutdownEvent;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.ReferenceCountUtil;
import io.reactorucx.testsupport.TestTime;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** In place of the one test of Netty's suite that is left out, which needs a kernel that hears of a close meanwhile. */
class AutoCloseTest {

    private static final long LIMIT_SECONDS = TestTime.seconds(20).toSeconds();

    @Test
    void withoutAutoCloseAFailedWriteShutsDownOnlyTheOutput() throws Exception {
        try (TestLoops loops = new TestLoops("auto-close", 1, UcxNettyConfig.DEFAULT)) {
            Channel server = loops.server().childHandler(new Closer()).bind("127.0.0.1", 0).sync().channel();
            Events events = new Events();
            SocketChannel client = (SocketChannel) loops.client().option(ChannelOption.AUTO_CLOSE, false)
                    .option(ChannelOption.ALLOW_HALF_CLOSURE, true).handler(events)
                    .connect(server.localAddress()).sync().channel();
            client.writeAndFlush(Unpooled.wrappedBuffer(new byte[1])).sync();
            events.inputEnded.get(LIMIT_SECONDS, TimeUnit.SECONDS);
            assertThat(client.isOutputShutdown()).isFalse();

            Throwable cause = client.writeAndFlush(Unpooled.wrappedBuffer(new byte[1]))
                    .awaitUninterruptibly().cause();

            assertThat(cause).isInstanceOf(IOException.class);
            events.outputEnded.get(LIMIT_SECONDS, TimeUnit.SECONDS);
            assertThat(client.isOutputShutdown()).isTrue();
            assertThat(client.isOpen()).isTrue();
            client.close().sync();
            server.close().sync();
            loops.awaitNoChannels();
        }
    }

    @Sharable
    private static final class Closer extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ReferenceCountUtil.release(message);
            context.close();
        }
    }

    private static final class Events extends ChannelInboundHandlerAdapter {

        private final CompletableFuture<Boolean> inputEnded = new CompletableFuture<>();
        private final CompletableFuture<Boolean> outputEnded = new CompletableFuture<>();

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event instanceof ChannelInputShutdownEvent) {
                inputEnded.complete(true);
            } else if (event instanceof ChannelOutputShutdownEvent) {
                outputEnded.complete(true);
            }
        }
    }
}
