package io.reactorucx.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;
import static org.assertj.core.api.InstanceOfAssertFactories.MAP;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.UcxBoundServer;
import io.reactorucx.UcxResources;
import io.reactorucx.UcxServer;
import io.reactorucx.core.Ucx;
import io.reactorucx.core.UcxTransportKind;
import io.reactorucx.testsupport.ChildJvm;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code info --to}: what a connection to a server goes over, and why there is none. */
@Tag("slow")
class InfoConnectionTest {

    private static final String UNSHARE = "/usr/bin/unshare";

    private final AtomicInteger accepted = new AtomicInteger();
    private UcxResources resources;

    @TempDir
    private Path empty;

    private record Report(Map<String, Object> all, int exitCode) {

        @SuppressWarnings("unchecked")
        List<Map<String, Object>> findings() {
            return ((List<Map<String, Object>>) all.get("findings")).stream()
                    .filter(each -> each.get("check").equals("connection")).toList();
        }

        /** Asserts that the one finding about the connection is an error, and that there is no connection. */
        String error() {
            assertThat(exitCode).isEqualTo(1);
            assertThat(all).containsEntry("worst", "error").doesNotContainKey("connection");
            assertThat(findings()).singleElement(MAP).containsEntry("severity", "error");
            return findings().getFirst().get("measured") + " | " + findings().getFirst().get("meaning");
        }

        private String measured(String start) {
            return findings().stream().map(each -> each.get("severity") + " " + each.get("measured"))
                    .filter(each -> each.contains(start)).findFirst().orElse("none");
        }
    }

    private static ChildJvm.Builder info(String to) {
        return ChildJvm.of(Main.class).arguments("info", "--json", "--to=" + to)
                .environment("UCX_LOG_LEVEL", "fatal");
    }

    private static Report report(ChildJvm.Builder program) {
        ChildJvm.Result result = program.run();
        // The log, which goes to the standard error, comes before.
        String json = result.output().lines().dropWhile(line -> !line.equals("{")).collect(Collectors.joining("\n"));
        return new Report(JsonReader.readObject(json), result.exitCode());
    }

    private UcxBoundServer serve(UnaryOperator<UcxServer> settings, String... transports) {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
        resources = UcxResources.builder().engines(1).transports(transports).build();
        return settings.apply(UcxServer.create(resources).handle(connection -> {
            accepted.incrementAndGet();
            return connection.onDispose();
        })).bindNow();
    }

    @AfterEach
    void nothingIsLeft() {
        if (resources != null) {
            await().untilAsserted(() -> assertThat(resources.openConnections()).isZero());
            resources.disposeNow();
        }
    }

    @Test
    void namesSharedMemoryWithinAHost() throws IOException {
        UcxBoundServer server = serve(UnaryOperator.identity(), "posix", "tcp");

        Report report = report(info("localhost:" + server.port()));

        assertThat(report.all()).extracting("connection").asInstanceOf(MAP).containsOnlyKeys("to", "transports",
                "kinds", "errorMode", "ucx", "tcpAddresses").containsEntry("to", "localhost:" + server.port())
                .containsEntry("kinds", List.of("shm")).containsEntry("errorMode", "PEER")
                .containsEntry("ucx", Ucx.version().toString());
        assertThat(report.measured("goes over")).startsWith("ok localhost:").contains("posix/");
        assertThat(report.measured("not over shm")).isEqualTo("none");
        assertThat(report.findings()).allSatisfy(each -> assertThat(each).containsEntry("severity", "ok"));
        assertThat(report.exitCode()).isEqualTo(report.all().get("worst").equals("error") ? 1 : 0);
        assertThat(accepted).hasValue(1);
        assertThat(Files.readString(Path.of("..", "..", "docs", "spec", "info.md"))).contains("| `connection` |");
    }

    @Test
    void namesTcpAndWhyNothingBetterWasTaken() {
        UcxBoundServer server = serve(UnaryOperator.identity(), "tcp");

        Report report = report(info("127.0.0.1:" + server.port()).environment("UCX_TLS", "tcp,posix"));

        assertThat(report.all()).extracting("connection").asInstanceOf(MAP).containsEntry("kinds", List.of("tcp"))
                .extracting("tcpAddresses").asInstanceOf(LIST).isEqualTo(resources.listeningAddresses().stream()
                .map(each -> each.getAddress().getHostAddress() + ":" + each.getPort()).toList()).isNotEmpty();
        assertThat(report.measured("not over shm")).isEqualTo(
                "note not over shm: the address of the server's worker names tcp alone");
        assertThat(report.measured("not over rdma")).contains(
                "not over rdma: UCX of the client has ", " alone (", Files.isDirectory(Path.of("/sys/class/infiniband"))
                ? "tcp,posix" : "no RDMA device there");
    }

    @Test
    void namesTheListOfTransportsThatLeavesSharedMemoryOut() {
        UcxBoundServer server = serve(UnaryOperator.identity(), "tcp", "posix");

        Report report = report(info("127.0.0.1:" + server.port()).environment("UCX_TLS", "tcp"));

        assertThat(report.measured("not over shm")).isEqualTo(
                "note not over shm: UCX of the client has tcp alone (its list of transports is tcp)");
    }

    @Test
    void namesTheNamespaceThatSharedMemoryDoesNotReach() {
        UcxBoundServer server = serve(UnaryOperator.identity(), "tcp", "posix");
        String[] elsewhere = {UNSHARE, "--pid", "--fork", "--mount-proc", "--kill-child"};
        assumeTrue(ChildJvm.of(Main.class).within(elsewhere).arguments("--help").run().exitCode() == 0,
                "no PID namespace can be made");

        Report report = report(info("127.0.0.1:" + server.port()).within(elsewhere).environment("UCX_TLS",
                "tcp,posix"));

        assertThat(report.all()).extracting("connection").asInstanceOf(MAP).containsEntry("kinds", List.of("tcp"));
        assertThat(report.measured("not over shm")).contains("client and server are in different PID namespaces");
    }

    @Test
    void connectsInTheErrorModeOfTheServer() {
        UcxBoundServer server = serve(each -> each.peerFailureDetection(false), "tcp");

        Report report = report(info("127.0.0.1:" + server.port()).environment("UCX_TLS", "tcp"));

        assertThat(report.all()).extracting("connection").asInstanceOf(MAP).containsEntry("errorMode", "NONE");
        assertThat(accepted).hasValue(1);
    }

    @Test
    void saysWhyAServerRefuses() {
        UcxBoundServer server = serve(each -> each.require(UcxTransportKind.TCP), "posix", "tcp");

        Report report = report(info("127.0.0.1:" + server.port()).environment("UCX_TLS", "tcp,posix"));

        assertThat(report.error()).contains("the data has to go over tcp, which the server required", "took posix/");
        assertThat(accepted).hasValue(0);
    }

    @Test
    void saysThatNothingListens() throws IOException {
        int port;
        try (ServerSocket unused = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = unused.getLocalPort();
        }

        assertThat(report(info("127.0.0.1:" + port)).error()).contains("127.0.0.1:" + port, "Nothing listens there");
    }

    @Test
    void saysThatAListenerThatClosesIsNoServerOfThisLibrary() throws IOException {
        try (ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> {
                try {
                    while (true) {
                        listener.accept().close();
                    }
                } catch (IOException e) {
                    // The test has ended.
                }
            });

            assertThat(report(info("127.0.0.1:" + listener.getLocalPort())).error())
                    .contains("What listens there is no server of this library");
        }
    }

    @Test
    void waitsForASilentListenerForTheGivenTimeAlone() throws IOException {
        try (ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Report report = report(info("127.0.0.1:" + listener.getLocalPort()).arguments("--timeout=1.5"));

            assertThat(report.error()).contains("no answer within PT1.5S", "What listens there says nothing");
        }
    }

    @Test
    void saysThatAConnectionWasNotTriedWithoutUcx() {
        Report report = report(info("[::1]:4711").options("-Dio.reactorucx.library.path=" + empty));

        assertThat(report.error()).contains("[::1]:4711 was not tried: UCX cannot be used");
    }

    @Test
    void showsTheConnectionInText() {
        UcxBoundServer server = serve(UnaryOperator.identity(), "tcp");

        ChildJvm.Result result = ChildJvm.of(Main.class).arguments("info", "--to", "127.0.0.1:" + server.port())
                .environment("UCX_LOG_LEVEL", "fatal").environment("UCX_TLS", "tcp").run();

        assertThat(result.output()).contains("  ok       connection ", "127.0.0.1:" + server.port(), "tcp/",
                "not over rdma:").doesNotContain("\tat ");
        assertThat(result.output().lines()).allMatch(line -> line.matches(".{0,80}|.{0,36}\\S+"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"foo", ":1", "host:", "host:0", "host:65536", "host:1x", "::1:4711", "[::1]", "[host]:1",
        "a b:1", "http://host:1"})
    void refusesAnAddressThatIsNone(String to) {
        StringWriter errors = new StringWriter();
        int code = Main.commandLine().setErr(new PrintWriter(errors)).execute("info", "--to", to);

        assertThat(code).isEqualTo(2);
        assertThat(errors.toString()).contains("--to", "'" + to + "' is not HOST:PORT");
    }
}
