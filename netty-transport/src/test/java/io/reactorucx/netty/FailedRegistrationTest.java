package io.reactorucx.netty;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.IoRegistration;
import io.reactorucx.security.Authenticator;
import io.reactorucx.testsupport.TestTime;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.Socket;
import java.net.SocketException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Channels that their loop does not take. */
class FailedRegistrationTest {

    private static final long LIMIT_SECONDS = TestTime.seconds(20).toSeconds();

    @Test
    void aServerWhoseOptionContradictsItsLoopsIsClosed() {
        UcxNettyConfig trusted = UcxNettyConfig.DEFAULT.withAuthenticator(Authenticator.sharedSecret(new byte[32]));
        try (TestLoops loops = new TestLoops("loop", 1, trusted)) {
            ChannelFuture bound = loops.server().option(UcxChannelOption.PLAIN_TCP, true)
                    .childHandler(new ChannelInboundHandlerAdapter()).bind("127.0.0.1", 0).awaitUninterruptibly();

            assertThat(bound.cause()).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("PLAIN_TCP true");
            assertThat(bound.channel().isOpen()).isFalse();
        }
    }

    /** Of several channels. */
    @ChannelHandler.Sharable
    private static final class Nothing extends ChannelInboundHandlerAdapter {
    }

    /** As where the shared memory has no room for the worker of a further loop: each client sees a reset only. */
    @Test
    void aServerWhoseLoopCannotUseUcxSaysSoOnce() throws IOException {
        PrintStream before = System.err;
        ByteArrayOutputStream log = new ByteArrayOutputStream();
        System.setErr(new PrintStream(log, true, UTF_8));
        try (TestLoops loops = new TestLoops("loop", 1, UcxNettyConfig.DEFAULT.withTransports("pigeon"))) {
            Channel server = loops.server().childHandler(new Nothing()).bind("127.0.0.1", 0).syncUninterruptibly()
                    .channel();
            for (int i = 0; i < 2; i++) {
                try (Socket client = new Socket()) {
                    client.connect(server.localAddress());
                    client.setSoTimeout((int) LIMIT_SECONDS * 1000);
                    try {
                        assertThat(client.getInputStream().read()).isEqualTo(-1);
                    } catch (SocketException e) {
                        assertThat(e).hasMessageContaining("reset");
                    }
                }
            }
            assertThat(loops.factory().statistics()).singleElement().matches(UcxLoopStatistics::refusesClients);
            server.close().syncUninterruptibly();
        } finally {
            System.setErr(before);
        }

        assertThat(log.toString(UTF_8).lines().filter(line -> line.contains("clients are refused"))).singleElement()
                .asString().contains("WARN", "because the loop cannot use UCX: ", "NO_DEVICE");
    }

    @Test
    void theLoopForgetsAChannelWhoseRegistrationFails() throws Exception {
        try (TestLoops loops = new TestLoops("loop", 1, UcxNettyConfig.DEFAULT)) {
            EventLoop loop = loops.server().config().group().next();
            Channel channel = new UcxServerChannel();
            ChannelPromise promise = new DefaultChannelPromise(channel, loop);
            CompletableFuture<IoRegistration> made = new CompletableFuture<>();
            UcxIoHandle.register(loop, () -> { }, made::complete, promise);
            IoRegistration registration = made.get(LIMIT_SECONDS, TimeUnit.SECONDS);
            assertThat(registration.isValid()).isTrue();

            promise.setFailure(new IOException("refused"));

            loop.submit(() -> { }).sync();
            assertThat(registration.isValid()).isFalse();
            channel.unsafe().closeForcibly();
        }
    }
}
