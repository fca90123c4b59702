package io.reactorucx;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.UcxTransportKind;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.message.UcxResponder;
import io.reactorucx.testsupport.NoLeaks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Mono;

/** RDMA that is required, on a host that has a device: nothing else is taken, and nothing of UCX listens. */
@ExtendWith(NoLeaks.class)
class RequiredRdmaTest implements NeedsUcx {

    private static final Path DEVICES = Path.of("/sys/class/infiniband");
    private static final String LISTENING = "0A";

    private UcxResources there;
    private UcxResources here;
    private boolean served;

    @BeforeEach
    void assumeDevice() throws IOException {
        assumeTrue(Files.isDirectory(DEVICES), "no RDMA device");
        try (Stream<Path> devices = Files.list(DEVICES)) {
            assumeTrue(devices.flatMap(RequiredRdmaTest::ports).anyMatch(RequiredRdmaTest::isActive),
                    "no port of an RDMA device is active");
        }
    }

    private static Stream<Path> ports(Path device) {
        try (Stream<Path> ports = Files.list(device.resolve("ports"))) {
            return ports.toList().stream();
        } catch (IOException e) {
            return Stream.empty();
        }
    }

    private static boolean isActive(Path port) {
        try {
            return Files.readString(port.resolve("state")).contains("ACTIVE");
        } catch (IOException e) {
            return false;
        }
    }

    @AfterEach
    void nothingIsLeft() {
        if (here != null) {
            await().atMost(Waits.PATIENCE).until(() -> here.openConnections() + there.openConnections() == 0);
            here.disposeNow();
            there.disposeNow();
        }
    }

    private static UcxResources over(String... transports) {
        // Soft-RoCE does not fill in what UCX checks.
        return UcxResources.builder().transports(transports).setting("UD_VERBS_ETH_DGID_CHECK", "n").build();
    }

    private UcxBoundServer serve(UcxTransportKind... required) {
        return UcxServer.create(there).require(required).respond(new UcxResponder() {
            @Override
            public Mono<UcxBuffer> requestResponse(UcxBuffer request) {
                served = true;
                return Mono.just(request);
            }
        }).bindNow();
    }

    private UcxClient to(UcxBoundServer server) {
        return UcxClient.create(here).remoteAddress("127.0.0.1", server.port());
    }

    /** Returns the ports at which this process listens by tcp. */
    private static Set<Integer> listening() throws IOException {
        Set<String> own = new HashSet<>();
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            for (Path each : descriptors.toList()) {
                if (Files.isSymbolicLink(each)) {
                    own.add(Files.readSymbolicLink(each).toString());
                }
            }
        }
        return Stream.of("tcp", "tcp6").flatMap(RequiredRdmaTest::sockets).map(line -> line.strip().split("\\s+"))
                .filter(parts -> parts[3].equals(LISTENING) && own.contains("socket:[" + parts[9] + "]"))
                .map(parts -> Integer.parseInt(parts[1].substring(parts[1].lastIndexOf(':') + 1), 16))
                .collect(Collectors.toSet());
    }

    private static Stream<String> sockets(String family) {
        try {
            return Files.readAllLines(Path.of("/proc/self/net", family)).stream().skip(1);
        } catch (IOException e) {
            return Stream.empty();
        }
    }

    @Test
    void overRdmaAloneOnlyTheHandshakeListens() throws IOException {
        Set<Integer> before = listening();
        there = over("ud_v");
        here = over("ud_v");
        UcxBoundServer server = serve(UcxTransportKind.RDMA);

        UcxConnection connection = to(server).require(UcxTransportKind.RDMA).connectNow();
        byte[] response = connection.requester().requestResponse("over the wire".getBytes(UTF_8)).block(Waits.PATIENCE);

        assertThat(response).isEqualTo("over the wire".getBytes(UTF_8));
        assertThat(connection.transports()).isNotEmpty().allSatisfy(each ->
                assertThat(UcxTransportKind.of(each)).isEqualTo(UcxTransportKind.RDMA));
        assertThat(List.of(here.listeningAddresses(), there.listeningAddresses())).allMatch(List::isEmpty);
        Set<Integer> now = listening();
        now.removeAll(before);
        assertThat(now).containsExactly(server.port());
        for (UcxResources each : List.of(here, there)) {
            assertThat(each.peerStatistics().getFirst().establishedConnections()).containsEntry("rdma", 1L)
                    .containsEntry("tcp", 0L).containsEntry("mixed", 0L);
        }
        connection.close().block(Waits.PATIENCE);
        server.disposeNow();
    }

    @Test
    void aServerWithoutRdmaIsRefused() {
        there = over("tcp");
        here = over("ud_v", "tcp");
        UcxBoundServer server = serve();

        UcxClient client = to(server).require(UcxTransportKind.RDMA);

        UcxException error = catchThrowableOfType(UcxException.class, client::connectNow);

        assertThat(error).hasMessageContaining("the data has to go over rdma, which the client required, and the"
                + " address of the server's worker names tcp alone");
        server.disposeNow();
    }

    @Test
    void aClientWithoutRdmaIsRefusedAndHearsWhatItsHostHas() {
        there = over("ud_v", "tcp");
        here = over("tcp");
        UcxBoundServer server = serve(UcxTransportKind.RDMA);

        UcxException error = catchThrowableOfType(UcxException.class, to(server)::connectNow);

        assertThat(error).hasMessageContaining("the data has to go over rdma, which the server required, and UCX of the"
                + " client has tcp alone (UCX does not use the active ").hasMessageContaining(
                "and its list of transports is tcp)");
        server.disposeNow();
    }

    /** Within a host UCX prefers shared memory. */
    @Test
    void withSharedMemoryBesideItNothingElseThanRdmaIsEverUsed() {
        there = over("ud_v", "posix", "tcp");
        here = over("ud_v", "posix", "tcp");
        UcxBoundServer server = serve(UcxTransportKind.RDMA);
        UcxClient client = to(server);

        UcxException error = catchThrowableOfType(UcxException.class, client::connectNow);

        assertThat(error).hasMessageContaining("the data has to go over rdma").hasMessageContaining("took posix/")
                .hasMessageContaining("both sides have it");
        assertThat(client.isPermanent(error)).isTrue();
        assertThat(served).isFalse();
        server.disposeNow();
    }
}
