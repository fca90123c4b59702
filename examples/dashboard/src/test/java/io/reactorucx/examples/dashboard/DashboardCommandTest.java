package io.reactorucx.examples.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.core.Ucx;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/** {@code ./run dashboard}: arguments, end, and that nothing is left over. */
@Tag("slow")
class DashboardCommandTest {

    private final CommandLine program = Main.commandLine();
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... arguments) {
        program.setOut(new PrintWriter(out, true));
        program.setErr(new PrintWriter(err, true));
        return program.execute(arguments);
    }

    @Test
    void runHasTheHelpOfTheProgram() {
        assertThat(Path.of("..", "..", "config", "help", "dashboard.txt")).content()
                .isEqualTo(program.getSubcommands().get("dashboard").getUsageMessage(Ansi.OFF));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--port=65536 | --port 65536: must be 0 to 65535",
        "--seconds=0 | --seconds 0.0: must be above 0 and at most 86400",
        "--seconds=x | Invalid value for option '--seconds'",
        "--nothing | Unknown option: '--nothing'"})
    void refusesWrongArguments(String argument, String reason) {
        assertThat(run("dashboard", argument)).isEqualTo(2);
        assertThat(err.toString()).contains(reason).contains("'./run dashboard --help' lists the options");
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void aPortThatIsTakenIsNamedWithTheRemedy() throws IOException {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThat(run("dashboard", "--port=" + taken.getLocalPort(), "--seconds=1")).isEqualTo(1);
        }

        assertThat(err.toString())
                .matches("dashboard: FAILED: port [0-9]+ is in use; choose another one with --port\n");
    }

    @Test
    void servesItsPageAndEndsWithEveryProcessWhenItIsKilled() throws Exception {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
        try (DashboardProcess dashboard = DashboardProcess.start("--port=0"); HttpClient http =
                HttpClient.newHttpClient()) {
            String page = dashboard.said(DashboardCommand.PAGE);
            var response = http.send(HttpRequest.newBuilder(URI.create(page)).build(), BodyHandlers.ofString());
            List<HttpResponse<InputStream>> pages = new ArrayList<>();
            HttpRequest live = HttpRequest.newBuilder(URI.create(page + "live")).build();
            for (int i = 0; i <= LiveController.MAX_PAGES; i++) {
                pages.add(http.send(live, BodyHandlers.ofInputStream()));
            }
            List<ProcessHandle> started = dashboard.descendants();

            dashboard.kill();
            dashboard.awaitExit();
            // Its close would wait for what of the pages nobody reads.
            http.shutdownNow();

            assertThat(response.body()).contains("uPlot.iife.min.js").doesNotContain("@uplot", "http:", "https:");
            assertThat(response.headers().firstValue("Content-Security-Policy")).hasValue(
                    "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
            assertThat(response.headers().firstValue("X-Content-Type-Options")).hasValue("nosniff");
            assertThat(pages.subList(0, LiveController.MAX_PAGES)).extracting(HttpResponse::statusCode)
                    .containsOnly(200);
            assertThat(pages.getLast().statusCode()).as("a page beyond the limit").isEqualTo(503);
            assertThat(started).hasSize(1);
            await().atMost(DashboardProcess.LIMIT).until(() -> started.stream().noneMatch(ProcessHandle::isAlive));
        }
    }

    /** The page of a stranger whose name resolves to this host asks by that name. */
    @Test
    void bothProcessesAnswerOnlyByTheAddressAtWhichTheyListen() {
        assumeTrue(Ucx.isAvailable(), "UCX is not available");
        try (DashboardProcess dashboard = DashboardProcess.start("--port=0", "--load")) {
            URI page = URI.create(dashboard.said(DashboardCommand.PAGE));
            URI peer = URI.create(dashboard.said(DashboardCommand.PEER));
            for (URI each : List.of(page, peer)) {
                int port = each.getPort();
                for (String own : List.of("127.0.0.1:" + port, "localhost:" + port, "LOCALHOST:" + port)) {
                    assertThat(statusLine(each, own)).as(own).isEqualTo("HTTP/1.1 200 OK");
                }
                for (String strange : List.of("attacker.example:" + port, "localhost.attacker.example:" + port,
                        "127.0.0.2:" + port, "[::1]:" + port, "127.0.0.1", "localhost", "127.0.0.1:" + (port - 1), "",
                        "127.0.0.1:" + port + ":1", "[")) {
                    assertThat(statusLine(each, strange)).as(strange).matches("HTTP/1.1 4(21|00) .*");
                }
            }
            // The calls of HTTP over UCX name the peer's own address.
            await().atMost(DashboardProcess.LIMIT).until(() -> exchange(page.resolve("/actuator/prometheus"),
                    page.getAuthority()).lines().anyMatch(line -> line.startsWith("http_client_requests_seconds_count")
                    && line.contains("status=\"200\"")));
        }
    }

    private static String statusLine(URI target, String host) {
        return exchange(target, host).lines().findFirst().orElse("");
    }

    private static String exchange(URI target, String host) {
        try (Socket socket = new Socket(target.getHost(), target.getPort())) {
            socket.getOutputStream().write(("GET " + target.getPath() + " HTTP/1.1\r\nHost: " + host
                    + "\r\nConnection: close\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
