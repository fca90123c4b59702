package io.reactorucx.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.reactorucx.UcxConnection;
import io.reactorucx.core.ErrorMode;
import io.reactorucx.core.error.UcxException;
import java.time.Duration;
import java.util.Arrays;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Mono;

/** What ends a peer or the way to it: each operation ends, nothing is left, and a new connection works. */
class FaultsTest {

    /** An emulated machine may get no processor for seconds. */
    private static final Duration HEARTBEAT = Duration.ofSeconds(15);

    static ServerProcess serve(Verbs verbs) {
        return ServerProcess.start(verbs, "heartbeat=" + HEARTBEAT.toMillis());
    }

    static Client connect(Verbs verbs, ServerProcess server) {
        return Client.connect(verbs.resources().build(), ErrorMode.PEER, server.port(), HEARTBEAT);
    }

    static void requireEnded(Client client) {
        UcxConnection connection = client.connection();
        assertThatThrownBy(() -> connection.onTerminate().block(Client.LIMIT)).isInstanceOf(UcxException.class)
                .matches(error -> ((UcxException) error).isConnectionLost());
        Awaitility.await().atMost(Client.LIMIT).untilAsserted(() -> {
            assertThat(client.resources().parkedEndpoints()).as("parked endpoints").isZero();
            assertThat(client.resources().buffers().leases()).as("leases").isZero();
        });
    }

    static void requireAnswer(UcxConnection connection) {
        assertThat(connection.requester().requestResponse(new byte[1000]).block(Client.LIMIT)).hasSize(1000);
    }

    private static void requireNewConnection(Client client) {
        UcxConnection again = client.connect();
        requireAnswer(again);
        again.disposeNow(Client.LIMIT);
    }

    /** A server that takes the place of one that has ended answers. */
    static void requireRestart(Client client, ServerProcess ended, Verbs verbs) {
        try (ServerProcess restarted = ServerProcess.restart(ended, verbs)) {
            requireNewConnection(client);
            restarted.end(ErrorMode.PEER);
        }
    }

    @ParameterizedTest
    @EnumSource
    void peerStandsStill(Verbs verbs) {
        try (ServerProcess server = serve(verbs); Client client = connect(verbs, server)) {
            Load load = Load.on(client).awaitProgress();
            server.signal("STOP");
            try {
                load.requireErrors();
                requireEnded(client);
            } finally {
                server.signal("CONT");
            }
            requireNewConnection(client);
        }
    }

    /**
     * The other host's network device goes down and up. Over ud UCX ends the process of that host: Soft-RoCE fails a
     * queue pair without a route, which UCX takes for fatal.
     */
    @ParameterizedTest
    @EnumSource
    void linkGoesDownAndUp(Verbs verbs) {
        assumeFalse(OtherHost.isHere(), "needs two hosts");
        try (ServerProcess server = serve(verbs); Client client = connect(verbs, server)) {
            Load load = Load.on(client).awaitProgress();
            OtherHost.run("ip link set eth0 down").require();
            try {
                load.requireErrors();
                requireEnded(client);
            } finally {
                OtherHost.run("ip link set eth0 up").require();
            }
            if (verbs == Verbs.UD) {
                Awaitility.await().atMost(Client.LIMIT).until(() -> !server.isAlive());
                requireRestart(client, server, verbs);
                return;
            }
            Awaitility.await().atMost(Client.LIMIT).ignoreExceptions().untilAsserted(() ->
                    requireNewConnection(client));
        }
    }

    @ParameterizedTest
    @CsvSource({"UD, 1", "UD, 5", "RC, 1", "RC, 5"})
    void packetsAreLost(Verbs verbs, int percent) {
        assumeFalse(OtherHost.isHere(), "needs two hosts");
        try (ServerProcess server = ServerProcess.start(verbs); Client client = Client.connect(verbs, ErrorMode.PEER,
                server.port())) {
            OtherHost.run("tc qdisc add dev eth0 root netem loss " + percent + "%").require();
            try {
                for (int i = 0; i < 10; i++) {
                    byte[] request = new byte[64 << 10];
                    Arrays.fill(request, (byte) i);
                    assertThat(client.connection().requester().requestResponse(request).block(Client.LIMIT))
                            .isEqualTo(request);
                }
            } finally {
                OtherHost.run("tc qdisc del dev eth0 root").require();
            }
        }
    }

    /** No packet of the other host arrives, as when a switch fails; its own device stays up. */
    @ParameterizedTest
    @EnumSource
    void pathIsCut(Verbs verbs) {
        assumeFalse(OtherHost.isHere(), "needs two hosts");
        try (ServerProcess server = serve(verbs); Client client = connect(verbs, server)) {
            Load load = Load.on(client).awaitProgress();
            OtherHost.run("tc qdisc add dev eth0 root netem loss 100%").require();
            try {
                load.requireErrors();
                requireEnded(client);
            } finally {
                OtherHost.run("tc qdisc del dev eth0 root").require();
            }
            Awaitility.await().atMost(Client.LIMIT).ignoreExceptions().untilAsserted(() ->
                    requireNewConnection(client));
            assertThat(server.isAlive()).isTrue();
        }
    }

    /** The other host's device has larger packets than this one's, which RDMA's datagrams do not agree on. */
    @ParameterizedTest
    @EnumSource
    void packetsOfTheHostsDiffer(Verbs verbs) {
        assumeFalse(OtherHost.isHere(), "needs two hosts");
        OtherHost.run("ip link set eth0 mtu 4400").require();
        try (ServerProcess server = ServerProcess.start(verbs)) {
            try (Client client = Client.connect(verbs, ErrorMode.PEER, server.port())) {
                byte[] request = new byte[1 << 20];
                Arrays.fill(request, (byte) 7);
                Mono<byte[]> answer = client.connection().requester().requestResponse(request);
                if (verbs == Verbs.RC) {
                    assertThat(answer.block(Client.LIMIT)).isEqualTo(request);
                } else {
                    assertThatThrownBy(() -> answer.block(Client.LIMIT)).isInstanceOf(UcxException.class)
                            .matches(error -> ((UcxException) error).isConnectionLost());
                }
            }
            assertThat(server.isAlive()).isTrue();
        } finally {
            OtherHost.run("ip link set eth0 mtu 1500").require();
        }
    }

    /** The other host's network device is taken out while its RDMA device is used, and put back. */
    @ParameterizedTest
    @EnumSource
    void deviceIsTakenAway(Verbs verbs) {
        assumeFalse(OtherHost.isHere(), "needs two hosts");
        try (ServerProcess server = serve(verbs); Client client = connect(verbs, server)) {
            Load load = Load.on(client).awaitProgress();
            String device = OtherHost.run("""
                    device=$(basename "$(readlink -f /sys/class/net/eth0/device)"); echo $device
                    (echo $device > /sys/bus/virtio/drivers/virtio_net/unbind) > /dev/null 2>&1 &
                    """).require().strip();
            try {
                load.requireErrors();
                requireEnded(client);
            } finally {
                // The kernel keeps the RDMA device as long as the process has it open.
                server.kill();
                OtherHost.run("""
                        for i in $(seq 300); do
                            [ -e /sys/class/net/eth0 ] || [ -e /sys/class/infiniband/rxe0 ] || break
                            sleep 0.2
                        done
                        echo %s > /sys/bus/virtio/drivers/virtio_net/bind
                        ip link set eth0 mtu 1500 up && ip addr add 10.77.0.1/24 dev eth0 \
                            && rdma link add rxe0 type rxe netdev eth0
                        """.formatted(device)).require();
            }
            requireRestart(client, server, verbs);
        }
    }

    /** Shared memory beside RDMA, which the other host has no room for. */
    @ParameterizedTest
    @EnumSource
    void sharedMemoryHasNoRoom(Verbs verbs) {
        OtherHost.run("mount -o remount,size=64k /dev/shm").require();
        try (ServerProcess server = ServerProcess.start(verbs.transport() + ",sm")) {
            try (Client client = Client.connect(verbs, ErrorMode.PEER, server.port())) {
                requireAnswer(client.connection());
            }
            server.end(ErrorMode.PEER);
        } catch (AssertionError refused) {
            assertThat(refused).hasMessageContaining("/dev/shm").hasMessageNotContaining("SIG");
        } finally {
            OtherHost.run("mount -o remount,size=50% /dev/shm").require();
        }
    }

    @ParameterizedTest
    @EnumSource
    void modesDiffer(Verbs verbs) {
        try (ServerProcess server = ServerProcess.start(verbs, "none")) {
            assertThatThrownBy(() -> Client.connect(verbs, ErrorMode.PEER, server.port()))
                    .isInstanceOf(UcxException.class)
                    .hasMessageContaining("error mode: PEER at the client, NONE at the server");
            assertThat(server.isAlive()).isTrue();
        }
    }
}
