package io.reactorucx.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.channel.Channel;
import io.reactorucx.testsupport.TestTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Loops that spin for a second when they have nothing to do. */
class SpinningLoopTest {

    private static final int CHANNELS = 8;
    private static final double MAX_SLOWNESS = 3;

    /** A loop that left its sockets alone while it spins would let the handshakes of most channels time out. */
    @Test
    void handlesItsSocketsWhileItSpins() {
        assumeTrue(UcxIoHandler.isAvailable(), "UCX or epoll is not available");
        assumeTrue(TestTime.slowness() <= MAX_SLOWNESS, "on a machine this busy a handshake may take longer than the"
                + " longest spin, whatever the loop does");
        UcxNettyConfig config = UcxNettyConfig.DEFAULT.withSpin(Duration.ofSeconds(1)).withTimeouts(
                Duration.ofMillis(950), Duration.ofSeconds(5), Duration.ofSeconds(10), Duration.ofMinutes(1));
        try (TestLoops serving = new TestLoops("spinning-server", 1, config);
                TestLoops connecting = new TestLoops("spinning-client", 1, config)) {
            Channel server = EchoChannel.serve(serving);
            for (int i = 0; i < CHANNELS; i++) {
                EchoChannel client = EchoChannel.connect(connecting, server.localAddress());
                client.echo();
                assertThat(client.error()).isNull();
                client.channel().close().syncUninterruptibly();
            }
            server.close().syncUninterruptibly();
            connecting.awaitNoChannels();
            serving.awaitNoChannels();
        }
    }
}
