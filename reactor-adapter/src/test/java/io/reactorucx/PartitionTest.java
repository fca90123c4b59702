package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.testsupport.ChildJvm;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.testsupport.Partition;
import io.reactorucx.testsupport.TestTime;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The network between two hosts drops everything, without a word: only heartbeats find that. Over tcp, since hosts
 * share no memory.
 */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class PartitionTest implements NeedsUcx {

    private static final String HEARTBEAT_MILLIS = String.valueOf(TestTime.seconds(1).toMillis());

    private static ChildJvm server(Partition hosts) {
        return ChildJvm.of(EchoServer.class).within(hosts.onRight())
                .options("-D" + EchoServer.BIND + "=" + hosts.rightAddress(), "-D" + EchoServer.DEVICE + "=eth0",
                "-D" + EchoServer.HEARTBEAT + "=" + HEARTBEAT_MILLIS).arguments("tcp").start();
    }

    private static ChildJvm client(Partition hosts, String[] ready) {
        return ChildJvm.of(FaultClient.class).within(hosts.onLeft())
                .arguments(hosts.rightAddress(), ready[1], ready[3], HEARTBEAT_MILLIS, "tcp").start();
    }

    @Test
    void bothSidesFindThatTheOtherIsOutOfReachAndConnectAgainLater() {
        try (Partition hosts = Partition.create(); ChildJvm server = server(hosts)) {
            String[] ready = server.awaitLine(EchoServer.READY).split(" ");
            try (ChildJvm client = client(hosts, ready)) {
                int pending = Integer.parseInt(client.awaitLine(FaultClient.PENDING)
                        .substring(FaultClient.PENDING.length()));

                client.send("now");
                hosts.drop();

                assertAllEndedAsLost(client, pending);
                server.awaitLine(EchoServer.GONE);
            }
            hosts.heal();

            try (ChildJvm client = client(hosts, ready)) {
                int pending = Integer.parseInt(client.awaitLine(FaultClient.PENDING)
                        .substring(FaultClient.PENDING.length()));
                server.handle().destroyForcibly();
                assertAllEndedAsLost(client, pending);
            }
        }
    }

    private static void assertAllEndedAsLost(ChildJvm client, int pending) {
        ChildJvm.Result result = client.result();
        List<String> ends = result.output().lines().filter(line -> line.startsWith(FaultClient.ENDED)).toList();
        // What the stream of messages began after the loss was refused, for the connection is closed then.
        assertThat(ends).as(result.output()).hasSize(pending).allSatisfy(end -> assertThat(end)
                .containsAnyOf("lost=true", FaultClient.ENDED + "am_stream CANCELED"));
        assertThat(result.output()).contains(FaultClient.LEFT + "inFlight=0 leases=0 contexts=0");
        assertThat(result.exitCode()).isZero();
    }
}
