package io.reactorucx.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.reactorucx.UcxConnection;
import io.reactorucx.core.ErrorMode;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Connections that come and go, with and without data. */
class ClosingTest {

    private static final int CONNECTIONS = Integer.getInteger("io.reactorucx.rdma.connections", 200);
    private static final Duration HEARTBEAT = Duration.ofSeconds(60);

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource({"UD, PEER", "RC, PEER", "RC, NONE"})
    void oneAfterTheOtherReusesEndpoints(Verbs verbs, ErrorMode mode) {
        try (ServerProcess server = ServerProcess.start(verbs, mode == ErrorMode.NONE ? "none" : "peer")) {
            try (Client client = Client.connect(verbs, mode, server.port())) {
                comeAndGo(client);
            }
            server.end(mode);
        }
    }

    /** Each connection makes an endpoint of its own at both sides, and closes it. */
    @ParameterizedTest(name = "{0} {1}")
    @CsvSource({"UD, PEER", "RC, PEER"})
    void eachWithAnEndpointOfItsOwn(Verbs verbs, ErrorMode mode) {
        try (ServerProcess server = ServerProcess.start(verbs, "idle=0")) {
            try (Client client = Client.connect(verbs.resources().maxIdleEndpoints(0).build(), mode, server.port(),
                    HEARTBEAT)) {
                comeAndGo(client);
                if (verbs == Verbs.RC) {
                    // UCX keeps the queue pair of a closed endpoint until its worker closes (docs/guide/rdma.md).
                    assertThat(queuePairs()).isGreaterThanOrEqualTo(CONNECTIONS);
                }
            }
            server.end(mode);
            assumeThat(OtherHost.isHere()).as("one host has queue pairs of both").isFalse();
            assertThat(queuePairs()).isZero();
        }
    }

    private static void comeAndGo(Client client) {
        for (int i = 0; i < CONNECTIONS; i++) {
            UcxConnection connection = client.connect();
            if (i % 2 == 0) {
                assertThat(connection.requester().requestResponse(new byte[i]).block(Client.LIMIT)).hasSize(i);
            }
            connection.disposeNow(Client.LIMIT);
        }
    }

    private static long queuePairs() {
        return OtherHost.run("rdma resource show qp").require().lines().filter(line -> line.contains(" type RC "))
                .count();
    }
}
