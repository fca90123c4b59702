package io.reactorucx.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.UcxConnection;
import io.reactorucx.core.ErrorMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Connections that come and go, with and without data. */
class ClosingTest {

    private static final int CONNECTIONS = Integer.getInteger("io.reactorucx.rdma.connections", 200);

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource({"UD, PEER", "RC, PEER", "RC, NONE"})
    void oneAfterTheOther(Verbs verbs, ErrorMode mode) {
        try (ServerProcess server = ServerProcess.start(verbs, mode == ErrorMode.NONE ? "none" : "peer")) {
            try (Client client = Client.connect(verbs, mode, server.port())) {
                for (int i = 0; i < CONNECTIONS; i++) {
                    UcxConnection connection = client.connect();
                    if (i % 2 == 0) {
                        assertThat(connection.requester().requestResponse(new byte[i]).block(Client.LIMIT)).hasSize(i);
                    }
                    connection.disposeNow(Client.LIMIT);
                }
            }
            server.end(mode);
        }
    }
}
