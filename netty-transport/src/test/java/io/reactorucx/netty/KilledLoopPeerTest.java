package io.reactorucx.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.testsupport.ChildJvm;
import io.reactorucx.testsupport.TestTime;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers whose process is killed or stopped amid traffic. */
@Tag("slow")
class KilledLoopPeerTest {

    private static final Duration LIMIT = TestTime.seconds(20);
    private static final Duration HEARTBEAT = TestTime.seconds(1);
    private static final int CHANNELS = 8;
    private static final long BYTES_BEFORE = 1 << 20;
    private static final long STOPPED_SECONDS = 3;

    private static ChildJvm start(String transport) {
        return ChildJvm.of(EchoServerProcess.class).arguments(transport).start();
    }

    private static InetSocketAddress address(ChildJvm child) {
        int port = Integer.parseInt(child.awaitLine(EchoServerProcess.PORT).substring(EchoServerProcess.PORT.length()));
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    /** Connects channels, and waits until data flows over each. */
    private static List<EchoChannel> traffic(TestLoops loops, InetSocketAddress server) {
        List<EchoChannel> all = new ArrayList<>();
        for (int i = 0; i < CHANNELS; i++) {
            all.add(EchoChannel.connect(loops, server));
        }
        all.forEach(EchoChannel::stream);
        await().atMost(LIMIT).until(() -> all.stream().allMatch(each -> each.received() > BYTES_BEFORE));
        return all;
    }

    @ParameterizedTest
    @ValueSource(strings = {"shm", "tcp"})
    void channelsEndWhenThePeerIsKilled(String transport) {
        try (TestLoops loops = new TestLoops("client", 2, UcxNettyConfig.DEFAULT.withTransports(transport))) {
            List<EchoChannel> all;
            try (ChildJvm child = start(transport)) {
                all = traffic(loops, address(child));
                child.signal("KILL");
                for (EchoChannel each : all) {
                    assertThat(each.channel().closeFuture().awaitUninterruptibly(LIMIT.toMillis())).isTrue();
                }
            }
            assertThat(all).allSatisfy(each -> assertThat(each.error()).isInstanceOf(IOException.class));
            loops.awaitNoChannels();
            try (ChildJvm next = start(transport)) {
                EchoChannel again = EchoChannel.connect(loops, address(next));
                again.echo();
                again.channel().close().syncUninterruptibly();
                loops.awaitNoChannels();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"shm", "tcp"})
    void nothingIsLostWhileThePeerIsStopped(String transport) throws InterruptedException {
        try (TestLoops loops = new TestLoops("client", 2, UcxNettyConfig.DEFAULT.withTransports(transport));
                ChildJvm child = start(transport)) {
            List<EchoChannel> all = traffic(loops, address(child));
            child.signal("STOP");
            TimeUnit.SECONDS.sleep(STOPPED_SECONDS); // How long it is stopped, not a wait for something.
            assertThat(all).allSatisfy(each -> assertThat(each.channel().isActive()).isTrue());
            child.signal("CONT");
            List<Long> before = all.stream().map(EchoChannel::received).toList();
            await().atMost(LIMIT).until(() -> {
                for (int i = 0; i < CHANNELS; i++) {
                    if (all.get(i).received() < before.get(i) + BYTES_BEFORE) {
                        return false;
                    }
                }
                return true;
            });
            EchoChannel.drain(all);
            assertThat(all).allSatisfy(each -> assertThat(each.error()).isNull());
            all.forEach(each -> each.channel().close().syncUninterruptibly());
            loops.awaitNoChannels();
        }
    }

    /** Its sockets stay open, so only heartbeats find that; they count it as gone after at most 1.75 intervals. */
    @ParameterizedTest
    @ValueSource(strings = {"shm", "tcp"})
    void channelsOfBothSidesEndWhenThePeerIsStoppedForLonger(String transport) {
        try (TestLoops loops = new TestLoops("client", 2, EchoServerProcess.config(HEARTBEAT, transport));
                ChildJvm child = ChildJvm.of(EchoServerProcess.class).arguments(transport)
                        .options("-D" + EchoServerProcess.HEARTBEAT_MILLIS + "=" + HEARTBEAT.toMillis()).start()) {
            InetSocketAddress server = address(child);
            List<EchoChannel> all = traffic(loops, server);
            assertThat(EchoServerProcess.channelsOf(child)).isEqualTo(CHANNELS);
            child.signal("STOP");
            for (EchoChannel each : all) {
                assertThat(each.channel().closeFuture().awaitUninterruptibly(LIMIT.toMillis())).isTrue();
            }
            assertThat(all).allSatisfy(each -> assertThat(each.error()).isInstanceOf(IOException.class));
            loops.awaitNoChannels();

            child.signal("CONT");
            await().atMost(LIMIT).until(() -> EchoServerProcess.channelsOf(child) == 0);
            EchoChannel again = EchoChannel.connect(loops, server);
            again.echo();
            again.channel().close().syncUninterruptibly();
            loops.awaitNoChannels();
        }
    }
}
