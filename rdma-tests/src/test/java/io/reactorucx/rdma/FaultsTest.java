package io.reactorucx.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.reactorucx.UcxConnection;
import io.reactorucx.core.ErrorMode;
import io.reactorucx.core.UcxException;
import java.time.Duration;
import java.util.Arrays;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

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
            UcxConnection again = client.connect();
            requireAnswer(again);
            again.disposeNow(Client.LIMIT);
        }
    }

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
            Awaitility.await().atMost(Client.LIMIT).ignoreExceptions().untilAsserted(() -> {
                UcxConnection again = client.connect();
                requireAnswer(again);
                again.disposeNow(Client.LIMIT);
            });
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

    @ParameterizedTest
    @EnumSource
    void modesDiffer(Verbs verbs) {
        try (ServerProcess server = ServerProcess.start(verbs, "none")) {
            assertThatThrownBy(() -> Client.connect(verbs, ErrorMode.PEER, server.port()))
                    .isInstanceOf(UcxException.class).hasMessageContaining("peerFailureDetection");
            assertThat(server.isAlive()).isTrue();
        }
    }
}
