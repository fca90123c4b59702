package io.reactorucx.core.internal.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.core.internal.process.LockedMemoryLimit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whether a worker's queues fit into what a process may lock, of which the folders are made here. */
class RdmaQueuesTest {

    @TempDir
    private Path system;
    private RdmaQueues queues;

    @BeforeEach
    void describeHost() throws IOException {
        Path devices = Files.createDirectory(system.resolve("infiniband"));
        SysfsDevice.in(devices, "rxe0").networkDevice("eth0").port(1, "4: ACTIVE", "Ethernet");
        SysfsDevice.in(devices, "rxe1").networkDevice("eth1").port(1, "4: ACTIVE", "Ethernet");
        SysfsDevice.in(devices, "qib0").port(1, "4: ACTIVE", "InfiniBand");
        mtu("eth0", 1500);
        mtu("eth1", 9000);
        queues = new RdmaQueues(new RdmaDevices(devices), new LockedMemoryLimit(system));
    }

    private void mtu(String networkDevice, int bytes) throws IOException {
        Files.writeString(Files.createDirectories(system.resolve("net").resolve(networkDevice)).resolve("mtu"),
                bytes + "\n");
    }

    private Optional<String> shortage(int allowedKibibytes, int pinnedKibibytes, String settings, String... transports)
            throws IOException {
        Files.writeString(system.resolve("limits"), "Max locked memory         " + allowedKibibytes * 1024L
                + "   unlimited bytes\n");
        Files.writeString(system.resolve("status"), "CapEff:\t0000000000000000\nVmPin:\t     " + pinnedKibibytes
                + " kB\n");
        return queues.shortage(new UcxSettings(settings.isEmpty() ? Map.of() : Map.of(settings, "16"), ""),
                () -> List.of(transports));
    }

    @ParameterizedTest
    @CsvSource({"ud_verbs/rxe0:1, 16384", "ud_mlx5/qib0:1, 40960", "ud_verbs/rxe1:1, 40960", "rc_verbs/rxe0:1, 57591",
        "dc_mlx5/qib0:1, 57591", "rc_verbs/rxe0:1;ud_verbs/rxe0:1, 73975"})
    void sayWhatIsMissing(String transports, int kibibytes) throws IOException {
        String[] each = transports.split(";");
        assertThat(shortage(kibibytes + 1, 0, "", each)).isEmpty();
        assertThat(shortage(kibibytes - 1, 0, "", each)).hasValueSatisfying(text -> assertThat(text)
                .contains(String.join(" and ", each) + " lock about " + kibibytes + " KiB",
                "may lock " + (kibibytes - 1) + " KiB, of which RDMA devices have 0 KiB", "ulimit -l unlimited"));
        assertThat(shortage(kibibytes + 1, 2, "", each)).as("another worker has locked some").isPresent();
    }

    @Test
    void otherTransportsLockNothing() throws IOException {
        assertThat(shortage(64, 64, "", "tcp/eth0", "posix/memory", "self/memory0", "cma/memory")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"UD_VERBS_RX_QUEUE_LEN", "RC_VERBS_SEG_SIZE", "DC_MLX5_RX_QUEUE_LEN"})
    void whoSetsTheirSizeIsNotRefused(String setting) throws IOException {
        assertThat(shortage(64, 0, setting, "ud_verbs/rxe0:1")).isEmpty();
        assertThat(shortage(64, 0, "TCP_TX_SEG_SIZE", "ud_verbs/rxe0:1")).isPresent();
    }

    @Test
    void withoutALimitNothingIsMissing() throws IOException {
        shortage(64, 0, "", "tcp/eth0");
        Files.writeString(system.resolve("limits"), "Max locked memory         unlimited unlimited bytes\n");
        assertThat(queues.shortage(new UcxSettings(Map.of(), ""), () -> List.of("rc_verbs/rxe0:1"))).isEmpty();
    }
}
