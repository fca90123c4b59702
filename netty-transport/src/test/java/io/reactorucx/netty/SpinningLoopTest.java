package io.reactorucx.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.reactorucx.testsupport.TestTime;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Loops that spin for a second when they have nothing to do. */
class SpinningLoopTest {

    private static final int CHANNELS = 8;
    private static final Duration LIMIT = TestTime.seconds(30);

    /** Counts the sockets that a server accepts in a spin of its loop. */
    private static final class Accepting extends ChannelInboundHandlerAdapter {

        private final AtomicInteger inASpin = new AtomicInteger();

        @Override
        public void channelRead(ChannelHandlerContext context, Object accepted) {
            if (StackWalker.getInstance().walk(frames -> frames.anyMatch(frame ->
                    frame.getClassName().equals(UcxIoHandler.class.getName())
                    && frame.getMethodName().equals("spin")))) {
                inASpin.incrementAndGet();
            }
            context.fireChannelRead(accepted);
        }
    }

    /**
     * The first client comes before the loop has a worker to spin for, and on a busy machine the loop may be asleep
     * when another comes.
     */
    @Test
    void handlesItsSocketsWhileItSpins() {
        assumeTrue(UcxIoHandler.isAvailable(), "UCX or epoll is not available");
        assumeTrue(Runtime.getRuntime().availableProcessors() > 1, "no loop spins on a single processor");
        UcxNettyConfig config = UcxNettyConfig.DEFAULT.withSpin(Duration.ofSeconds(1))
                .withTimeouts(LIMIT, Duration.ofSeconds(5), Duration.ofSeconds(10), Duration.ofMinutes(1));
        try (TestLoops serving = new TestLoops("spinning-server", 1, config);
                TestLoops connecting = new TestLoops("spinning-client", 1, config)) {
            Accepting accepting = new Accepting();
            List<Throwable> errors = new CopyOnWriteArrayList<>();
            Channel server = EchoChannel.serve(serving.server().handler(accepting),
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), errors);
            await().pollDelay(Duration.ZERO).atMost(LIMIT).until(() -> {
                EchoChannel client = EchoChannel.connect(connecting, server.localAddress());
                client.echo();
                assertThat(client.error()).isNull();
                client.channel().close().syncUninterruptibly();
                return accepting.inASpin.get() >= CHANNELS;
            });
            server.close().syncUninterruptibly();
            connecting.awaitNoChannels();
            serving.awaitNoChannels();
            assertThat(errors).isEmpty();
        }
    }
}
