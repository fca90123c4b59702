package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.testsupport.ChildJvm;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.testsupport.Partition;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Peers of one host in other namespaces, as containers with a common IPC namespace are. They share memory that UCX
 * chooses and cannot use.
 */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class NamespacesTest implements NeedsUcx {

    private static final Path UNSHARE = Path.of("/usr/bin/unshare");
    private static final String[] OTHER_PROCESSES = List.of(UNSHARE.toString(), "--pid", "--fork", "--mount-proc",
            "--kill-child").toArray(String[]::new);
    private static final String[] HERE = {};

    private static ChildJvm server(String[] where, String address, String... transports) {
        return program(where, transports).arguments("server", address).start();
    }

    private static List<String> connects(String[] where, String[] addresses, String... transports) {
        try (ChildJvm client = program(where, transports).arguments("client").arguments(addresses).start()) {
            ChildJvm.Result result = client.result();
            assertThat(result.exitCode()).as(result.output()).isZero();
            return result.output().lines().filter(line -> line.startsWith(NamespacesProgram.CONNECTED)
                    || line.startsWith(NamespacesProgram.FAILED)).toList();
        }
    }

    private static ChildJvm.Builder program(String[] where, String... transports) {
        return ChildJvm.of(NamespacesProgram.class).within(where)
                .options("-D" + NamespacesProgram.TRANSPORTS + "=" + String.join(",", transports));
    }

    private static String port(ChildJvm server) {
        return server.awaitLine(NamespacesProgram.READY).substring(NamespacesProgram.READY.length());
    }

    @Test
    void peersInTwoNetworkNamespacesConnectOverTheNetworkAndKeepNobodyElseFromConnecting() {
        try (Partition hosts = Partition.create();
                ChildJvm remote = server(hosts.onRight(), hosts.rightAddress());
                ChildJvm local = server(hosts.onLeft(), "127.0.0.1")) {
            String[] addresses = {hosts.rightAddress() + ":" + port(remote), "127.0.0.1:" + port(local)};

            List<String> connected = connects(hosts.onLeft(), addresses);

            assertThat(connected).hasSize(2);
            assertThat(connected.get(0)).startsWith(NamespacesProgram.CONNECTED).contains("tcp/");
            assertThat(connected.get(1)).startsWith(NamespacesProgram.CONNECTED).doesNotContain("tcp/");
        }
    }

    /** On each side, where only one requires. Within the host UCX takes shared memory, and between the hosts tcp. */
    @ParameterizedTest
    @CsvSource({"SHARED_MEMORY,", ",SHARED_MEMORY", "TCP,TCP"})
    void requirementsHoldBetweenTwoHosts(String ofServer, String ofClient) {
        try (Partition hosts = Partition.create();
                ChildJvm remote = requiring(program(hosts.onRight()), ofServer)
                        .arguments("server", hosts.rightAddress()).start();
                ChildJvm client = requiring(program(hosts.onLeft()), ofClient).arguments("client")
                        .arguments(hosts.rightAddress() + ":" + port(remote)).start()) {
            ChildJvm.Result result = client.result();

            String required = ofServer == null ? ofClient : ofServer;
            assertThat(result.output().lines().filter(line -> line.startsWith(NamespacesProgram.CONNECTED)
                    || line.startsWith(NamespacesProgram.FAILED))).singleElement().asString()
                    .startsWith(required.equals("TCP") ? NamespacesProgram.CONNECTED : NamespacesProgram.FAILED)
                    .contains(required.equals("TCP") ? "tcp/" : "the data has to go over shm or self, which the "
                            + (ofServer == null ? "client" : "server") + " required, and the address of the server's"
                            + " worker names tcp alone");
        }
    }

    private static ChildJvm.Builder requiring(ChildJvm.Builder program, @Nullable String kinds) {
        return kinds == null ? program : program.options("-D" + NamespacesProgram.REQUIRED + "=" + kinds);
    }

    @Test
    void peersInTwoPidNamespacesAreToldWhyTheyCannotConnect() {
        assumeNamespaces();
        try (ChildJvm server = server(HERE, "127.0.0.1")) {
            assertThat(connects(OTHER_PROCESSES, new String[] {"127.0.0.1:" + port(server)})).singleElement().asString()
                    .startsWith(NamespacesProgram.FAILED + "REJECTED").contains("different PID namespaces of one host",
                    "UcxResourcesBuilder.transports(\"tcp\")");
        }
    }

    @Test
    void peersInTwoIpcNamespacesAreToldWhyTheyCannotConnect() {
        assumeNamespaces();
        try (ChildJvm server = server(HERE, "127.0.0.1")) {
            assertThat(connects(new String[] {UNSHARE.toString(), "--ipc"}, new String[] {"127.0.0.1:" + port(server)}))
                    .singleElement().asString().startsWith(NamespacesProgram.FAILED + "REJECTED")
                    .contains("different IPC namespaces of one host", "UcxResourcesBuilder.transports(\"tcp\")");
        }
    }

    @Test
    void peersInTwoPidNamespacesConnectByTheTransportsThatTheErrorNames() {
        assumeNamespaces();
        try (ChildJvm server = server(HERE, "127.0.0.1", "tcp")) {
            assertThat(connects(OTHER_PROCESSES, new String[] {"127.0.0.1:" + port(server)}, "tcp")).singleElement()
                    .asString().startsWith(NamespacesProgram.CONNECTED).contains("tcp/");
        }
    }

    private static void assumeNamespaces() {
        assumeTrue("root".equals(System.getProperty("user.name")), "only root may make PID namespaces");
        assumeTrue(Files.isExecutable(UNSHARE), UNSHARE + " (package util-linux) is not installed");
    }
}
