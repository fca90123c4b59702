package io.reactorucx.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.ErrorMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Hosts with two devices, each on a network of its own. */
class DevicesTest {

    private static final Duration HEARTBEAT = Duration.ofSeconds(60);

    @BeforeEach
    void assumeTwoDevices() {
        assumeTrue(Files.exists(Path.of("/sys/class/infiniband/rxe1")), "one device");
    }

    @ParameterizedTest
    @CsvSource({"UD, rxe0", "UD, rxe1", "RC, rxe0", "RC, rxe1"})
    void namedDeviceIsTaken(Verbs verbs, String device) {
        try (ServerProcess server = ServerProcess.start(verbs, "NET_DEVICES=" + device + ":1")) {
            try (Client client = Client.connect(verbs.resources().setting("NET_DEVICES", device + ":1").build(),
                    ErrorMode.PEER, server.port(), HEARTBEAT)) {
                assertThat(client.connection().transports()).isNotEmpty()
                        .allMatch(lane -> lane.contains("/" + device + ":1"));
                FaultsTest.requireAnswer(client.connection());
            }
            server.end(ErrorMode.PEER);
        }
    }

    @ParameterizedTest
    @EnumSource
    void bothAreThereWhereNoneIsNamed(Verbs verbs) {
        try (ServerProcess server = ServerProcess.start(verbs)) {
            try (Client client = Client.connect(verbs, ErrorMode.PEER, server.port())) {
                byte[] request = new byte[4 << 20];
                assertThat(client.connection().requester().requestResponse(request).block(Client.LIMIT))
                        .isEqualTo(request);
            }
            server.end(ErrorMode.PEER);
        }
    }
}
