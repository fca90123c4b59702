package io.reactorucx.transport.connect;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Why a connection does not go over RDMA: what is said of this host, and how often. */
class TransportReasonsTest {

    @TempDir
    private Path devices;

    private void port(String device, String port, String state) throws IOException {
        Path folder = Files.createDirectories(devices.resolve(device).resolve("ports").resolve(port));
        Files.writeString(folder.resolve("state"), state + "\n");
    }

    @Test
    void aHostWithoutDevicesSaysSo() {
        assertThat(RdmaPorts.read(devices.resolve("none")).isEmpty()).isTrue();
        assertThat(RdmaPorts.read(devices).whyUnused(null)).isEqualTo("no RDMA device there");
    }

    @Test
    void portsThatAreNotActiveAreNamed() throws IOException {
        port("rxe0", "1", "1: DOWN");
        port("mlx5_0", "1", "2: INIT");

        assertThat(RdmaPorts.read(devices).whyUnused("rc_v")).isEqualTo(
                "no port of its RDMA devices is active: mlx5_0:1 is INIT, rxe0:1 is DOWN");
    }

    @Test
    void anActivePortLeavesTheListOfTransportsOrTheLibrary() throws IOException {
        port("rxe0", "1", "4: ACTIVE");
        port("rxe1", "1", "1: DOWN");
        Files.createDirectories(devices.resolve("broken"));

        RdmaPorts ports = RdmaPorts.read(devices);

        assertThat(ports.states()).isEqualTo(Map.of("rxe0:1", "ACTIVE", "rxe1:1", "DOWN", "broken:?", "unreadable"));
        assertThat(ports.whyUnused("tcp")).isEqualTo(
                "UCX does not use the active rxe0:1, and its list of transports is tcp");
        assertThat(ports.whyUnused(null)).isEqualTo("UCX does not use the active rxe0:1: it is built without verbs, or"
                + " cannot open /dev/infiniband");
    }

    @Test
    void eachReasonIsToldOnceForEachHostAndNotWithoutEnd() {
        List<String> lines = new ArrayList<>();
        TransportReasons reasons = new TransportReasons(lines::add);
        for (int i = 0; i < 3; i++) {
            reasons.tell("10.0.0.1", "tcp", "the address of the server's worker names tcp alone");
            reasons.tell("10.0.0.2", "tcp", "the address of the server's worker names tcp alone");
        }
        assertThat(lines).containsExactly(
                "connections with 10.0.0.1 go over tcp, and not over RDMA: the address of the server's worker names tcp"
                + " alone", "connections with 10.0.0.2 go over tcp, and not over RDMA: the address of the server's"
                + " worker names tcp alone");

        for (int i = 0; i < 2 * TransportReasons.MAX_TOLD; i++) {
            reasons.tell("host " + i, "tcp", "why");
        }
        assertThat(lines).hasSize(TransportReasons.MAX_TOLD);
        assertThat(lines.getLast()).endsWith("further reasons are logged at DEBUG");
    }
}
