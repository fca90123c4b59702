package io.reactorucx.examples.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.examples.doctor.facts.RdmaPort;
import io.reactorucx.examples.doctor.facts.Transport;
import io.reactorucx.uct.UctDeviceType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is said of RDMA devices, by folders like those of a kernel with Soft-RoCE, an adapter on Ethernet and one of
 * InfiniBand. */
class RdmaDevicesTest {

    private static final String NO_GID = "0000:0000:0000:0000:0000:0000:0000:0000";

    @TempDir
    private Path root;
    private Path files;

    @BeforeEach
    void makeFiles() throws IOException {
        files = Files.createDirectories(root.resolve("dev/infiniband"));
        Files.createFile(files.resolve("rdma_cm"));
    }

    private void write(String file, String text) throws IOException {
        Path path = root.resolve("sys/class").resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text + "\n");
    }

    private void softRoce(String state) throws IOException {
        write("infiniband/rxe0/node_desc", "rxe");
        write("infiniband/rxe0/ports/1/state", state);
        write("infiniband/rxe0/ports/1/link_layer", "Ethernet");
        write("infiniband/rxe0/ports/1/rate", "2.5 Gb/sec (1X SDR)");
        write("infiniband/rxe0/ports/1/gids/0", "fe80:0000:0000:0000:5054:00ff:fe00:0001");
        write("infiniband/rxe0/ports/1/gids/1", "0000:0000:0000:0000:0000:ffff:0a4d:0001");
        write("infiniband/rxe0/ports/1/gids/2", NO_GID);
        write("infiniband/rxe0/ports/1/gid_attrs/types/0", "RoCE v2");
        write("infiniband/rxe0/ports/1/gid_attrs/types/1", "RoCE v2");
        write("infiniband/rxe0/ports/1/gid_attrs/ndevs/0", "eth0");
        write("net/eth0/mtu", "1500");
        verbs("uverbs0", "rxe0");
        Files.createFile(files.resolve("uverbs0"));
    }

    private void verbs(String file, String device) throws IOException {
        write("infiniband_verbs/" + file + "/ibdev", device);
    }

    private List<Finding> findings(Set<String> components, Transport... transports) {
        return new RdmaDevices(root.resolve("sys"), files, components, List.of(transports)).findings();
    }

    private static Transport transport(String name, String device) {
        return new Transport(name, device, UctDeviceType.NET);
    }

    @Test
    void isContentWithoutDevices() {
        assertThat(findings(Set.of("tcp"))).singleElement()
                .isEqualTo(Finding.ok("rdma-devices", "the kernel has none", "Between hosts messages go over tcp"));
    }

    @Test
    void describesADeviceThatUcxCanUse() throws IOException {
        softRoce("4: ACTIVE");

        assertThat(findings(Set.of("ib", "tcp"), transport("ud_verbs", "rxe0:1"))).singleElement()
                .isEqualTo(Finding.ok("rdma-devices", "rxe0 (in software, rxe): rxe0:1 is ACTIVE, Ethernet,"
                + " 2.5 Gb/sec (1X SDR), MTU 1024 (eth0: 1500), GIDs 0: fe80:0:0:0:5054:ff:fe00:1 RoCE v2,"
                + " 1: 10.77.0.1 RoCE v2", "UCX can use it"));
    }

    @Test
    void describesAnAdapterOfInfiniBand() throws IOException {
        write("infiniband/mlx5_0/node_desc", "host1 HCA-1");
        write("infiniband/mlx5_0/fw_ver", "20.31.1014");
        Files.createDirectories(root.resolve("sys/class/infiniband/mlx5_0/device"));
        Files.createSymbolicLink(root.resolve("sys/class/infiniband/mlx5_0/device/driver"),
                Path.of("../../../bus/pci/drivers/mlx5_core"));
        write("infiniband/mlx5_0/ports/1/state", "4: ACTIVE");
        write("infiniband/mlx5_0/ports/1/link_layer", "InfiniBand");
        write("infiniband/mlx5_0/ports/1/gids/0", "fe80:0000:0000:0000:0002:c903:00a1:b2c3");
        write("infiniband/mlx5_0/ports/2/state", "2: INIT");
        write("infiniband/mlx5_0/ports/2/link_layer", "InfiniBand");
        verbs("uverbs3", "mlx5_0");
        Files.createFile(files.resolve("uverbs3"));

        List<Finding> findings = findings(Set.of("ib"), transport("rc_mlx5", "mlx5_0:1"));
        assertThat(findings).extracting(Finding::severity).containsExactly(Severity.OK, Severity.WARNING);
        assertThat(findings.getFirst().measured()).isEqualTo("mlx5_0 (driver mlx5_core, host1 HCA-1, firmware"
                + " 20.31.1014): mlx5_0:1 is ACTIVE, InfiniBand, GIDs 0: fe80:0:0:0:2:c903:a1:b2c3");
        assertThat(findings.getLast().measured()).contains("mlx5_0:2 is INIT");
        assertThat(findings.getLast().remedy()).contains("subnet manager");
    }

    @Test
    void namesAPortThatIsDown() throws IOException {
        softRoce("1: DOWN");

        Finding finding = findings(Set.of("ib")).getFirst();
        assertThat(finding.severity()).isEqualTo(Severity.WARNING);
        assertThat(finding.measured()).contains("rxe0:1 is DOWN");
        assertThat(finding.remedy()).contains("ip link set");
    }

    @Test
    void missesAGid() throws IOException {
        softRoce("4: ACTIVE");
        write("infiniband/rxe0/ports/1/gids/0", NO_GID);
        write("infiniband/rxe0/ports/1/gids/1", NO_GID);

        Finding finding = findings(Set.of("ib"), transport("ud_verbs", "rxe0:1")).getFirst();
        assertThat(finding.severity()).isEqualTo(Severity.WARNING);
        assertThat(finding.measured()).contains("GIDs none");
        assertThat(finding.remedy()).contains("ip addr add");
    }

    @Test
    void notesAddressesThatNoRouterForwards() throws IOException {
        softRoce("4: ACTIVE");
        write("infiniband/rxe0/ports/1/gid_attrs/types/0", "IB/RoCE v1");
        write("infiniband/rxe0/ports/1/gid_attrs/types/1", "IB/RoCE v1");

        assertThat(findings(Set.of("ib"), transport("ud_verbs", "rxe0:1"))).singleElement()
                .extracting(Finding::severity, Finding::meaning)
                .containsExactly(Severity.NOTE, "RoCE v1 alone: routers do not forward it");
    }

    @Test
    void namesAUcxWithoutVerbs() throws IOException {
        softRoce("4: ACTIVE");

        Finding finding = findings(Set.of("tcp", "posix")).getFirst();
        assertThat(finding.severity()).isEqualTo(Severity.WARNING);
        assertThat(finding.measured()).isEqualTo("UCX has no component ib");
        assertThat(findings(Set.of())).as("nothing is known of a UCX that is not there").singleElement()
                .extracting(Finding::severity).isEqualTo(Severity.OK);
    }

    @Test
    void namesADeviceForWhichUcxHasNoTransport() throws IOException {
        softRoce("4: ACTIVE");

        assertThat(findings(Set.of("ib"), transport("tcp", "eth0"), transport("ud_verbs", "rxe1:1"))).singleElement()
                .satisfies(finding -> {
                    assertThat(finding.severity()).isEqualTo(Severity.WARNING);
                    assertThat(finding.remedy()).contains("ibverbs-providers");
                });
    }

    @Test
    void namesMissingModulesAndFiles() throws IOException {
        softRoce("4: ACTIVE");
        Files.delete(files.resolve("rdma_cm"));
        assertThat(findings(Set.of("ib"), transport("ud_verbs", "rxe0:1")).getLast())
                .extracting(Finding::severity, Finding::remedy)
                .containsExactly(Severity.NOTE, "modprobe rdma_ucm; --device /dev/infiniband for docker run");
        Files.delete(files.resolve("uverbs0"));
        assertThat(findings(Set.of("ib")).getFirst()).extracting(Finding::severity, Finding::measured)
                .containsExactly(Severity.WARNING, "there is no " + files.resolve("uverbs0"));
        Files.delete(root.resolve("sys/class/infiniband_verbs/uverbs0/ibdev"));
        assertThat(findings(Set.of("ib")).getFirst()).extracting(Finding::severity, Finding::remedy)
                .containsExactly(Severity.WARNING, "modprobe ib_uverbs");
    }

    @ParameterizedTest
    @CsvSource({"1500, 1024", "4200, 4096", "4191, 2048", "9000, 4096", "2200, 2048", "300, 0", "0, 0"})
    void knowsHowMuchOfAPacketOfEthernetIsData(int netMtu, int expected) {
        assertThat(new RdmaPort("rxe0:1", "ACTIVE", "Ethernet", "", "eth0", netMtu, List.of()).mtu())
                .isEqualTo(expected);
    }
}
