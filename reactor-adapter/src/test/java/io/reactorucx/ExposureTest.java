package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.reactorucx.engine.EngineHealth;
import io.reactorucx.metrics.UcxMetrics;
import io.reactorucx.testsupport.ChildJvm;
import io.reactorucx.testsupport.NoLeaks;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Mono;

/** The ports that a process opens through UCX, and who can connect to them. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class ExposureTest implements NeedsUcx {

    private static final String LOOPBACK = "0100007F";
    private static final String LOOPBACK_MAPPED = "0000000000000000FFFF00000100007F";

    @Test
    void serverOfThisHostListensOnItsPortAlone() {
        try (ChildJvm server = process("127.0.0.1 0")) {
            Listening listening = Listening.of(server);
            assertThat(listening.sockets).hasSize(1).allSatisfy(socket ->
                    assertThat(socket).isEqualTo(listening.socket(LOOPBACK, LOOPBACK_MAPPED, socket)));

            try (ChildJvm client = process("127.0.0.1 " + listening.port)) {
                assertThat(Listening.of(client).sockets).isEmpty();
            }
        }
    }

    @Test
    void tcpThatIsChosenForPeersOfThisHostListensOnLoopbackAlone() {
        try (ChildJvm server = process("127.0.0.1 0", "tcp,self")) {
            Listening listening = Listening.of(server);
            assertThat(listening.sockets).hasSize(2).allMatch(socket -> socket.contains(LOOPBACK));

            try (ChildJvm client = process("127.0.0.1 " + listening.port, "tcp,self")) {
                assertThat(Listening.of(client).sockets).hasSize(1).allMatch(socket -> socket.startsWith(LOOPBACK));
            }
        }
    }

    @Test
    void serverOfANetworkListensOnItsDeviceAlone() throws SocketException {
        String address = networkAddress().map(InetAddress::getHostAddress).orElse("");
        assumeTrue(!address.isEmpty(), "this host has no network device but loopback");
        String hex = hex(address);
        try (ChildJvm server = process(address + " 0", "tcp,self")) {
            Listening listening = Listening.of(server);
            assertThat(listening.sockets).hasSize(2).allMatch(socket -> socket.contains(hex));

            try (ChildJvm client = process(address + " " + listening.port, "tcp,self")) {
                assertThat(Listening.of(client).sockets).hasSize(1).allMatch(socket -> socket.contains(hex));
            }
        }
    }

    @Test
    void onlyAuthenticatedPeersConnectToTheSocketsOfUcx() throws IOException {
        UcxResources resources = UcxResources.builder().transports("tcp", "self").build();
        UcxResources clients = UcxResources.builder().transports("tcp", "self").build();
        try {
            UcxBoundServer server = UcxServer.create(resources).bindAddress("127.0.0.1", 0)
                    .handle((in, out) -> out.send(in.receive())).bindNow();
            InetSocketAddress ucx = resources.listeningAddresses().getFirst();
            assertThat(connects("127.0.0.1", ucx)).isFalse();

            UcxConnection client = UcxClient.create(clients).remoteAddress("127.0.0.1", server.port()).connectNow();
            assertThat(connects("127.0.0.1", ucx)).isTrue();
            assertThat(connects("127.0.0.9", ucx)).isFalse();

            client.disposeNow();
            server.disposeNow();
            await().atMost(Waits.PATIENCE).until(() -> !connects("127.0.0.1", ucx));
        } finally {
            clients.disposeNow();
            resources.disposeNow();
        }
    }

    @Test
    void serverThatAcceptsWorkerAddressesIsOpenToAllWhileItIsBound() throws IOException {
        UcxResources resources = UcxResources.builder().transports("tcp", "self").build();
        try {
            UcxBoundServer server = UcxServer.create(resources).bindAddress("127.0.0.1", 0)
                    .acceptWorkerAddresses(true).handle((in, out) -> Mono.never()).bindNow();
            InetSocketAddress ucx = resources.listeningAddresses().getFirst();
            assertThat(connects("127.0.0.9", ucx)).isTrue();

            server.disposeNow();
            assertThat(connects("127.0.0.9", ucx)).isFalse();
        } finally {
            resources.disposeNow();
        }
    }

    @Test
    void workerAddressThatIsGivenOutOpensTheSockets() throws IOException {
        UcxResources resources = UcxResources.builder().transports("tcp", "self").build();
        try {
            InetSocketAddress ucx = resources.listeningAddresses().getFirst();
            assertThat(connects("127.0.0.9", ucx)).isFalse();

            assertThat(resources.workerAddress(0).block(Waits.PATIENCE)).isNotEmpty();
            assertThat(connects("127.0.0.9", ucx)).isTrue();
        } finally {
            resources.disposeNow();
        }
    }

    @Test
    void resourcesInUseGetTheDevicesOfAnAddressBesideTheirOwn() throws SocketException {
        InetAddress address = networkAddress().orElse(null);
        assumeTrue(address != null, "this host has no network device but loopback");
        String device = NetworkInterface.getByInetAddress(address).getName();
        UcxResources used = UcxResources.create();
        UcxResources named = UcxResources.builder().networkDevices(device).build();
        try {
            assertThat(used.buffers().leases()).isZero();
            assertThat(used.listeningAddresses()).isEmpty();
            MeterRegistry registry = new SimpleMeterRegistry();
            new UcxMetrics(used).bindTo(registry);
            Set<String> before = engines(registry);
            assertThat(before).hasSize(1);
            UcxServer.create(used).bindAddress(address.getHostAddress(), 0).handle((in, out) -> Mono.empty()).bindNow();
            assertThat(used.listeningAddresses()).hasSize(1)
                    .allMatch(each -> each.getAddress().equals(address));
            assertThat(engines(registry)).hasSize(2).containsAll(before);
            assertThat(used.health()).extracting(EngineHealth::engine).containsExactlyInAnyOrderElementsOf(
                    engines(registry));

            assertThat(named.listeningAddresses()).hasSize(1);
            assertThat(named.buffers().leases()).isZero();
            UcxServer.create(named).bindAddress(address.getHostAddress(), 0).handle((in, out) -> Mono.empty())
                    .bindNow().disposeNow();
            assertThat(named.listeningAddresses()).hasSize(1);
        } finally {
            used.disposeNow();
            named.disposeNow();
        }
    }

    /** Whoever binds meters at the first use would bind those of closed resources. */
    @Test
    void endOfResourcesIsNoUse() {
        UcxResources resources = UcxResources.create();
        AtomicBoolean used = new AtomicBoolean();
        resources.onUse().subscribe(ignored -> { }, error -> { }, () -> used.set(true));
        resources.disposeNow();
        assertThat(used).isFalse();
    }

    private static Set<String> engines(MeterRegistry registry) {
        return registry.getMeters().stream().map(meter -> meter.getId().getTag("engine"))
                .filter(Objects::nonNull).collect(Collectors.toSet());
    }

    private static ChildJvm process(String... arguments) {
        return ChildJvm.of(ListeningProgram.class).arguments(arguments).start();
    }

    private record Listening(int port, List<String> sockets) {

        static Listening of(ChildJvm process) {
            String[] parts = process.awaitLine(ListeningProgram.LISTENS).trim().split(" ");
            return new Listening(Integer.parseInt(parts[1]), Arrays.asList(parts).subList(2, parts.length));
        }

        /** The JVM binds addresses of IPv4 on sockets of either family. */
        String socket(String ipv4, String mapped, String like) {
            return (like.length() > mapped.length() ? mapped : ipv4) + ":" + String.format("%04X", port);
        }
    }

    /** Returns an address that UCX uses: that of a device with one address of IPv4. */
    private static Optional<InetAddress> networkAddress() throws SocketException {
        return NetworkInterface.networkInterfaces().map(device -> device.inetAddresses()
                .filter(address -> address instanceof Inet4Address && !address.isLoopbackAddress()).toList())
                .filter(addresses -> addresses.size() == 1).map(List::getFirst).findFirst();
    }

    private static String hex(String ipv4) {
        StringBuilder digits = new StringBuilder();
        for (String part : ipv4.split("\\.")) {
            digits.insert(0, String.format("%02x", Integer.parseInt(part)));
        }
        return digits.toString().toUpperCase(Locale.ROOT);
    }

    private static boolean connects(String source, InetSocketAddress address) throws IOException {
        try (Socket socket = new Socket()) {
            socket.bind(new InetSocketAddress(source, 0));
            socket.connect(address, 500);
            return true;
        } catch (SocketTimeoutException e) {
            return false;
        }
    }
}
