package io.reactorucx.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactorucx.testsupport.ChildJvm;
import io.reactorucx.testsupport.Partition;
import io.reactorucx.testsupport.TestTime;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The network between two hosts drops everything, without a word. Only heartbeats find that: the sockets themselves
 * would last for a quarter of an hour. Over tcp, since hosts share no memory.
 */
@Tag("slow")
class PartitionedLoopsTest {

    private static final Duration LIMIT = TestTime.seconds(20);
    private static final Duration HEARTBEAT = TestTime.seconds(1);
    private static final int CHANNELS = 8;
    private static final long BYTES_BEFORE = 1 << 20;
    private static final String OPEN = "open";
    private static final String ENDED = "ended ";
    private static final String AGAIN = "again";

    /** The client's process: channels with traffic until they have ended, and then another. */
    static final class Client {

        private Client() {
        }

        public static void main(String[] arguments) throws IOException {
            InetSocketAddress server = new InetSocketAddress(arguments[0], Integer.parseInt(arguments[1]));
            try (TestLoops loops = new TestLoops("client", 2, EchoServerProcess.config(HEARTBEAT, "tcp"))) {
                List<EchoChannel> all = new ArrayList<>();
                for (int i = 0; i < CHANNELS; i++) {
                    all.add(EchoChannel.connect(loops, server));
                }
                all.forEach(EchoChannel::stream);
                await().atMost(LIMIT).until(() -> all.stream().allMatch(each -> each.received() > BYTES_BEFORE));
                System.out.println(OPEN);
                for (EchoChannel each : all) {
                    assertThat(each.channel().closeFuture().awaitUninterruptibly(LIMIT.toMillis())).isTrue();
                }
                System.out.println(ENDED + all.stream().filter(each -> each.error() instanceof IOException).count());
                loops.awaitNoChannels();

                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
                EchoChannel again = EchoChannel.connect(loops, server);
                again.echo();
                again.channel().close().syncUninterruptibly();
                loops.awaitNoChannels();
            }
            System.out.println(AGAIN);
        }
    }

    @Test
    void channelsOfBothSidesEndAndOthersConnectLater() {
        try (Partition hosts = Partition.create();
                ChildJvm server = ChildJvm.of(EchoServerProcess.class).within(hosts.onRight()).arguments("tcp")
                        .options("-D" + EchoServerProcess.HOST + "=" + hosts.rightAddress(),
                        "-D" + EchoServerProcess.HEARTBEAT_MILLIS + "=" + HEARTBEAT.toMillis()).start()) {
            String port = server.awaitLine(EchoServerProcess.PORT).substring(EchoServerProcess.PORT.length());
            try (ChildJvm client = ChildJvm.of(Client.class).within(hosts.onLeft())
                    .arguments(hosts.rightAddress(), port).start()) {
                client.awaitLine(OPEN);
                assertThat(EchoServerProcess.channelsOf(server)).isEqualTo(CHANNELS);

                hosts.drop();
                long start = System.nanoTime();
                assertThat(client.awaitLine(ENDED)).isEqualTo(ENDED + CHANNELS);
                Duration ofClient = Duration.ofNanos(System.nanoTime() - start);
                await().atMost(LIMIT).until(() -> EchoServerProcess.channelsOf(server) == 0);
                System.out.println("ended after " + ofClient + ", those of the server after "
                        + Duration.ofNanos(System.nanoTime() - start));

                hosts.heal();
                client.send(AGAIN);
                client.awaitLine(AGAIN);
                assertThat(client.result().exitCode()).isZero();
                await().atMost(LIMIT).until(() -> EchoServerProcess.channelsOf(server) == 0);
            }
        }
    }
}
